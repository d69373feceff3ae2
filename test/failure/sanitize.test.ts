import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sanitize } from '../../lib/failure/message'

const test = suite('failure/sanitize')

const table: ReadonlyArray<readonly [string, string]> = [
  ['', ''],
  ['plain text', 'plain text'],
  ['a\nb', 'a\\x0ab'],
  ['a\r\nb', 'a\\x0d\\x0ab'],
  ['a\tb', 'a\tb'],
  ['\u0000\u001f', '\\x00\\x1f'],
  ['\u001b[31mred', '\\x1b[31mred'],
  ['\u007f', '\\x7f'],
  ['\u0080\u0085\u009f', '\\x80\\x85\\x9f'],
  ['\u00a0é😀\u2028', '\u00a0é😀\u2028'],
  ['\\x0a', '\\x0a'],
]

test('escapes control characters except tab, and nothing else', () => {
  for (const [text, expected] of table) assert.is(sanitize(text), expected)
})

const control = /\p{Cc}/u
const text = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0xa0 }).map((n) => String.fromCharCode(n)),
    fc.string(),
  ),
})

test('what comes out has no control character but tab, and is one line', () => {
  fc.assert(
    fc.property(text, (input) => {
      assert.not(control.test(sanitize(input).replaceAll('\t', '')))
    }),
  )
})

test('text without control characters comes out as it went in; doing it twice changes nothing', () => {
  fc.assert(
    fc.property(text, (input) => {
      const once = sanitize(input)
      assert.is(sanitize(once), once)
      const clean = input.replace(/\p{Cc}/gu, '')
      assert.is(sanitize(clean), clean)
    }),
  )
})

test('each character is escaped by itself, so cutting the text cuts the result', () => {
  fc.assert(
    fc.property(text, text, (a, b) => assert.is(sanitize(a + b), sanitize(a) + sanitize(b))),
  )
})

test.run()
