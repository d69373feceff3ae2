import fc from 'fast-check'
import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../lib/failure/report'
import {
  changeRow,
  type EditableTable,
  getRow,
  parseEditableTable,
} from '../../lib/label/editable-table'
import type { TableForm } from '../../lib/runs/rows/form'
import { noFields } from '../../lib/runs/rows/row'
import { openRows } from '../../lib/runs/rows/rows'

const test = suite('editable table')

/** Returns the table of a result that must not be a fault. */
const unwrap = (table: E.Either<string, EditableTable>): EditableTable => {
  if (E.isLeft(table)) throw new Error(table.left)
  return table.right
}

const parse = (text: string | Buffer, form: Partial<TableForm> = {}): EditableTable =>
  unwrap(parseEditableTable(Buffer.from(text), { hasQuotes: true, ...form }))

/** Writes one cell and returns the bytes of the file. */
const writeCell = (
  content: string | Buffer,
  row: number,
  column: string,
  value: string,
  form: Partial<TableForm> = {},
): Buffer => unwrap(changeRow(parse(content, form), row, new Map([[column, value]]))).bytes

test('only the written cell changes', () => {
  for (const [before, after] of [
    ['a,b\n1,2\n3,4\n', 'a,b\n1,2\n3,x\n'],
    ['\ufeffa;b\r\n1;"two\r\nlines"\r\n"""3""";4', '\ufeffa;b\r\n1;"two\r\nlines"\r\n"""3""";x'],
    ['a\tb\n\n1\t2\n\r\n\n=3\t4\n\n', 'a\tb\n\n1\t2\n\r\n\n=3\tx\n\n'],
    ['"a",b\nü,2\n"x, y",\n', '"a",b\nü,2\n"x, y",x\n'],
    ['a,b\r1,2\r3,4\r', 'a,b\r1,2\r3,x\r'],
    ['sep=;\r\na;b\r\n1;2\r\n3;4\r\n', 'sep=;\r\na;b\r\n1;2\r\n3;x\r\n'],
    ['a,b,,\n,,,\n1,2,,\n,\n3,4,5,\n,,,,\n', 'a,b,,\n,,,\n1,2,,\n,\n3,x,5,\n,,,,\n'],
  ] as const)
    assert.is(writeCell(before, 1, 'b', 'x').toString(), after)
})

test('rows with any quotes, delimiters and line breaks keep their text when another row changes', () => {
  const cell = fc.constantFrom('a', '""', '"a""b"', '"x, y"', '"two\nlines"', '"\r\n"', "'=1", 'ü')
  const filledCell = fc.constantFrom('a', '"a""b"', '"x, y"', '"two\nlines"', '"\r\n"', "'=1", 'ü')
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r', '\n\r\n\n')
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, filledCell, lineEnd)), lineEnd, (rows, end) => {
      const text = rows.map(([first, second, rowEnd]) => `${first},${second}${rowEnd}`).join('')
      const table = parse(`a,b\n1,2${end}${text}`)
      const changed = unwrap(changeRow(table, 0, new Map([['b', 'longer']])))
      assert.is(changed.bytes.toString(), `a,b\n1,longer${end}${text}`)
      // The positions are those of the new text.
      assert.equal(changed.rows, parse(changed.bytes).rows)
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
    const table = unwrap(changeRow(parse('a,b\n1,2\n'), 0, new Map([['b', value]])))
    assert.is(getRow(table, 0).get('b'), value)
    assert.is(getRow(parse(table.bytes), 0).get('b'), value)
  }
})

test('a value that a spreadsheet would run as a formula is written after an apostrophe', () => {
  assert.is(writeCell('a,b\n1,\n', 0, 'b', '=1+1').toString(), "a,b\n1,'=1+1\n")
})

test('a column that the table does not have is added at its end', () => {
  assert.is(
    writeCell('\ufeffa;b\r\n1;2\r\n\r\n3;4', 1, 'b.note', 'x').toString(),
    '\ufeffa;b;b.note\r\n1;2;\r\n\r\n3;4;x',
  )
})

test('the delimiter is the one that divides the header into the most cells', () => {
  assert.equal(parse('a,b,c;d\n').columns, ['a', 'b', 'c;d'])
  assert.equal(parse('a;b;"c,d,e,f"\n').columns, ['a', 'b', 'c,d,e,f'])
  assert.equal(parse('a\tb\n').columns, ['a', 'b'])
  assert.equal(parse('only\n').columns, ['only'])
})

test('writes in the encoding of the table, and keeps its byte order mark', () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  assert.equal(writeCell(utf16('a\tb\r\nä\t\r\n'), 0, 'b', '文'), utf16('a\tb\r\nä\t文\r\n'))
  const bigEndian = (text: string) => utf16(text).swap16()
  assert.equal(writeCell(bigEndian('a,b\nä,\n'), 0, 'b', 'ö'), bigEndian('a,b\nä,ö\n'))
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const form = { encoding: 'windows-1252' }
  assert.equal(
    writeCell(latin1('a,b\n\x84\xe4,\n'), 0, 'b', 'ö€', form),
    latin1('a,b\n\x84\xe4,\xf6\x80\n'),
  )
})

test('refuses a value that the table cannot hold', () => {
  const change = (form: Partial<TableForm>, value: string) =>
    changeRow(parse('a,b\n1,\n', form), 0, new Map([['b', value]]))
  assert.equal(
    change({ encoding: 'windows-1252' }, '→'),
    E.left('"→" cannot be written in windows-1252'),
  )
  assert.equal(
    change({ hasQuotes: false }, 'a,b'),
    E.left('a table without quotes cannot hold a delimiter or a line break in a cell'),
  )
})

test('with --no-quotes a quote is an ordinary character', () => {
  const text = 'a\tb\n"open\t\n5" pipe\t\n'
  const form = { hasQuotes: false }
  assert.is(
    writeCell(text, 1, 'b', 'say "x"', form).toString(),
    'a\tb\n"open\t\n5" pipe\tsay "x"\n',
  )
})

test('refuses a table at the same place and in the same words as the readers of rows', async () => {
  const faults: ReadonlyArray<readonly [text: string, fault: string]> = [
    ['a,b\n"two\nlines",2\n3\n', 'line 4: 1 field, the header has 2'],
    [
      'a,b\r0,5" pipe,\r1,6" pipe,\r',
      'line 2: invalid CSV: a quote is inside a field that does not begin with a quote; if quotes are ordinary characters in this table, pass --no-quotes',
    ],
    [
      '"a\n',
      'line 1: the CSV header: a quoted field is not closed; if quotes are ordinary characters in this table, pass --no-quotes',
    ],
    ['a|b\n', 'the CSV header is one column, "a|b": pass --delimiter \'|\''],
    ['a.label,b,a.label\n1\n', 'the CSV header has the column "a.label" twice, as columns 1 and 3'],
    ['a\0,\0b\0\n\0', 'this is utf-16le without a byte order mark: save it as UTF-8'],
  ]
  for (const [text, fault] of faults) {
    const bytes = Buffer.from(text)
    assert.equal(parseEditableTable(bytes, { hasQuotes: true }), E.left(fault))
    assert.is(await findRowFault(bytes), fault)
  }
})

/** Opens a table with labels as rows. Returns the message of the first fault. */
const findRowFault = async (bytes: Buffer): Promise<string | undefined> => {
  async function* chunks() {
    yield bytes
  }
  const opened = await openRows({
    format: 'csv',
    mayBeArray: false,
    hasQuotes: true,
    contentName: 'labels',
    name: 't',
    fields: noFields,
    chunks: chunks(),
    signal: new AbortController().signal,
  })
  if (E.isLeft(opened)) return messageOf(opened.left).replace('read labels: t: ', '')
  for await (const { line, fault } of opened.right.rows)
    if (fault !== undefined) return `line ${line}: ${fault}`
  return undefined
}

test.run()
