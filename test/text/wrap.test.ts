import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TextRow, wrap, wrapColumns } from '../../lib/text/wrap'

const test = suite('text/wrap')

test('wraps text at spaces and line breaks, and never within a word', () => {
  assert.equal(wrap('', 10), [])
  assert.equal(wrap('aa bb  cc\ndd', 5), ['aa bb', 'cc dd'])
  assert.equal(wrap('a-very-long-word b', 5), ['a-very-long-word', 'b'])
})

test('keeps a no-break space on one line, and prints it as a space', () => {
  assert.equal(wrap('a b\u00a0c', 3), ['a', 'b c'])
})

const rows: ReadonlyArray<TextRow> = [
  ['a', ''],
  ['bb', 'x y'],
]

test('aligns the right column', () => {
  assert.equal(wrapColumns(rows, 40), ['  a', '  bb  x y'])
})

test('puts right texts below left texts if the right column would have less than 30 characters', () => {
  assert.equal(wrapColumns(rows, 20), ['  a', '  bb', '      x y'])
})

test('removes the indentation of left texts if right texts are below them', () => {
  assert.equal(wrapColumns([['    --flag', 'x']], 20), ['  --flag', '      x'])
})

test('puts a left text of more than 26 characters on a line before its right text', () => {
  const longText = 'b'.repeat(27)
  assert.equal(
    wrapColumns(
      [
        ['a', 'x'],
        [longText, 'y'],
      ],
      80,
    ),
    ['  a  x', `  ${longText}`, '     y'],
  )
})

test.run()
