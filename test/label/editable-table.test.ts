import fc from 'fast-check'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  changeRow,
  type EditableTable,
  getRow,
  parseEditableTable,
} from '../../lib/label/editable-table'

const test = suite('editable table')

const parse = (text: string): EditableTable => {
  const table = parseEditableTable(Buffer.from(text))
  if (E.isLeft(table)) throw new Error(table.left)
  return table.right
}

/** Writes one cell and returns the text of the file. */
const writeCell = (text: string, row: number, column: string, value: string): string =>
  changeRow(parse(text), row, new Map([[column, value]])).bytes.toString()

test('only the written cell changes', () => {
  for (const [before, after] of [
    ['a,b\n1,2\n3,4\n', 'a,b\n1,2\n3,x\n'],
    ['\ufeffa;b\r\n1;"two\r\nlines"\r\n"""3""";4', '\ufeffa;b\r\n1;"two\r\nlines"\r\n"""3""";x'],
    ['a\tb\n\n1\t2\n\r\n\n=3\t4\n\n', 'a\tb\n\n1\t2\n\r\n\n=3\tx\n\n'],
    ['"a",b\nü,2\n"x, y",\n', '"a",b\nü,2\n"x, y",x\n'],
  ] as const)
    assert.is(writeCell(before, 1, 'b', 'x'), after)
})

test('rows with any quotes, delimiters and line breaks keep their text when another row changes', () => {
  const cell = fc.constantFrom('a', '""', '"a""b"', '"x, y"', '"two\nlines"', '"\r\n"', "'=1", 'ü')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\n\r\n\n')
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, lineEnd)), lineEnd, (rows, end) => {
      const text = rows.map(([first, second, rowEnd]) => `${first},${second}${rowEnd}`).join('')
      const table = parse(`a,b\n1,2${end}${text}`)
      const changed = changeRow(table, 0, new Map([['b', 'longer']]))
      assert.is(changed.bytes.toString(), `a,b\n1,longer${end}${text}`)
      // The offsets are those of the new text.
      assert.equal(changed, parse(changed.bytes.toString()))
    }),
  )
})

test('a value is read back as it was written', () => {
  for (const value of [
    'plain',
    'a,b',
    'a;b',
    '"quoted"',
    'two\nlines',
    'two\r\nlines',
    '',
    '=1+1',
  ]) {
    const table = changeRow(parse('a,b\n1,2\n'), 0, new Map([['b', value]]))
    assert.is(getRow(table, 0).get('b'), value)
    assert.is(getRow(parse(table.bytes.toString()), 0).get('b'), value)
  }
})

test('a value that a spreadsheet would run as a formula is written after an apostrophe', () => {
  assert.is(writeCell('a,b\n1,\n', 0, 'b', '=1+1'), "a,b\n1,'=1+1\n")
})

test('a column that the table does not have is added at its end', () => {
  assert.is(
    writeCell('\ufeffa;b\r\n1;2\r\n\r\n3;4', 1, 'b.note', 'x'),
    '\ufeffa;b;b.note\r\n1;2;\r\n\r\n3;4;x',
  )
})

test('the delimiter is the one that divides the header into the most cells', () => {
  assert.equal(parse('a,b,c;d\n').columns, ['a', 'b', 'c;d'])
  assert.equal(parse('a;b;"c,d,e,f"\n').columns, ['a', 'b', 'c,d,e,f'])
  assert.equal(parse('a\tb\n').columns, ['a', 'b'])
  assert.equal(parse('only\n').columns, ['only'])
})

test('faults of a table name the column or the line', () => {
  const parseFault = (text: string) => parseEditableTable(Buffer.from(text))
  assert.equal(parseFault('a,a,b\n'), E.left('it has two columns "a"'))
  assert.equal(
    parseFault('a,b\n"two\nlines",2\n3\n'),
    E.left('line 4: it has 1 cells, the header has 2'),
  )
})

test.run()
