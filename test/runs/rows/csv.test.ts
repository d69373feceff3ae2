import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatCsvLine, parseFields, unguardCell } from '../../../lib/runs/rows/csv'

const test = suite('runs/rows/csv')

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
  const parsed = parseFields(Buffer.from(lineWithoutNewline))
  assert.ok(E.isRight(parsed))
  for (const cell of parsed.right) assert.not.match(cell, /^[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]/)
  assert.equal(parsed.right.map(unguardCell), cells)
})

test('puts no guard before signed numbers, but one before a sign with other text', () => {
  assert.is(formatCsvLine(['-5', '+1.5', '-.5e3', '-5x']), "-5,+1.5,-.5e3,'-5x\n")
})

test.run()
