import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  decodeCell,
  encodeCell,
  formatCsvText,
  parseCsvText,
  splitCells,
} from '../../lib/label/csv-text'

const test = suite('the text of a CSV table')

test('a table that is written back unchanged has the bytes that were read', () => {
  for (const text of [
    'a,b\n1,2\n',
    '\ufeffa;b\r\n1;"two\r\nlines"\r\n',
    'a\tb\n1\t2',
    'a,b\n\n1,2\n\n\n',
    '"a ""quoted""",b\n"x, y",\n',
    '',
  ])
    assert.is(formatCsvText(parseCsvText(text)), text)
})

test('any text of cells, quotes, delimiters and line breaks is written back unchanged', () => {
  const piece = fc.constantFrom('a', '"', '""', ',', ';', '\t', '\n', '\r\n', '\r', 'ü', '\ufeff')
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (text) => {
        assert.is(formatCsvText(parseCsvText(text)), text)
      },
    ),
  )
})

test('the delimiter is the one that divides the header into the most cells', () => {
  assert.is(parseCsvText('a,b,c;d\n').delimiter, ',')
  assert.is(parseCsvText('a;b;"c,d,e,f"\n').delimiter, ';')
  assert.is(parseCsvText('a\tb\n').delimiter, '\t')
  assert.is(parseCsvText('alone\n').delimiter, ',')
})

test('records keep the line on which they begin', () => {
  const { rows } = parseCsvText('a,b\n"one\ntwo",2\n3,4\n')
  assert.equal(
    rows.map(({ line }) => line),
    [2, 4],
  )
})

test('a cell is read back as it was written', () => {
  for (const value of ['plain', 'a,b', 'a;b', '"quoted"', 'two\nlines', 'two\r\nlines', '']) {
    const [cell = ''] = splitCells(encodeCell(value, ','), ',')
    assert.is(decodeCell(cell), value)
  }
})

test.run()
