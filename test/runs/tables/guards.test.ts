import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeCell, splitCells } from '../../../lib/runs/tables/cells'
import {
  countBrokenTexts,
  formatCsvHeader,
  formatCsvLine,
  nameInputColumns,
  unguardCell,
} from '../../../lib/runs/tables/guards'

const test = suite('runs/tables/guards')

/**
 * Ordinary cells, formulas, formulas with a guard, and cells that need quotes. Some formulas begin with a full-width sign. The guard is
 * an apostrophe, after which a spreadsheet takes a formula for text.
 */
const cells = [
  'a',
  '',
  '=1+1',
  '+x',
  '-x',
  '@x',
  '\tx',
  '\rx',
  '\nx',
  "'=x",
  "it's",
  'a,b',
  '"',
  'a\nb',
  '\uff1d1+1',
  '\uff0bx',
  '\uff0dx',
  '\uff20x',
  "'\uff1dx",
]

test('puts a guard before formulas, and removes it again', () => {
  const lineWithoutNewline = formatCsvLine(cells).slice(0, -1)
  const syntax = { delimiter: ',', hasQuotes: true }
  const split = splitCells(lineWithoutNewline, syntax)
  assert.ok(E.isRight(split))
  const writtenCells = split.right.map((cell) => decodeCell(cell, syntax))
  for (const cell of writtenCells) assert.not.match(cell, /^[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]/)
  assert.equal(writtenCells.map(unguardCell), cells)
})

test('puts no guard before signed numbers, but one before a sign with other text', () => {
  assert.is(formatCsvLine(['-5', '+1.5', '-.5e3', '-5x']), "-5,+1.5,-.5e3,'-5x\n")
})

test('quotes a name in the header that has another delimiter, which a reader might take for its own', () => {
  assert.is(formatCsvHeader(['a', 'b;c;d', 'e\tf']), 'a,"b;c;d","e\tf"\n')
  assert.is(formatCsvLine(['b;c;d']), 'b;c;d\n')
})

test('gives a field with the name of another column a name that no column has', () => {
  assert.equal(nameInputColumns(['p', 'text', 'input.p'], ['index', 'p']), [
    'input.input.p',
    'text',
    'input.p',
  ])
})

test('counts texts with half a character', () => {
  assert.is(countBrokenTexts(['a', '\ud83d\ude00', '\ud83d', 'b\ude00']), 2)
})

test.run()
