import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { wrap, wrapColumns } from '../../../lib/failure/text/wrap'

const test = suite('failure/text/wrap')

test('wraps text at blanks, and never within a word', () => {
  assert.equal(wrap('', 10), [])
  assert.equal(wrap('aa bb  cc\ndd', 5), ['aa bb', 'cc dd'])
  assert.equal(wrap('a-very-long-word b', 5), ['a-very-long-word', 'b'])
})

test('keeps a no-break space on one line, and prints it as a space', () => {
  assert.equal(wrap('a b\u00a0c', 3), ['a', 'b c'])
})

test('wraps the second column, below the first if the page is narrow', () => {
  const rows = [
    ['a', ''],
    ['bb', 'x y'],
  ] as const
  assert.equal(wrapColumns(rows, 40), ['  a', '  bb  x y'])
  assert.equal(wrapColumns(rows, 20), ['  a', '  bb', '      x y'])
  assert.equal(wrapColumns([['    --flag', 'x']], 20), ['  --flag', '      x'])
})

test.run()
