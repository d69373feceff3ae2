import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../../lib/failure/text/secret'
import * as fc from '../../support/fast-check'

const test = suite('text/secret')

const keys: ReadonlyArray<readonly [key: string, spellings: ReadonlyArray<string>]> = [
  [
    'sk-"a/b\\é$.',
    [
      'sk-"a/b\\é$.',
      'sk-\\"a/b\\\\é$.',
      'sk-\\"a\\/b\\\\é$.',
      'sk-%22a%2Fb%5C%C3%A9%24.',
      'sk-%22a%2fb%5c%c3%a9%24.',
    ],
  ],
  ['p q%41$&', ['p q%41$&', 'p%20q%2541%24%26']],
  ['keys', ['keys']],
  ['\ud800key', ['\ud800key', '\\ud800key']],
]

test('redacts a key verbatim, JSON-escaped and percent-encoded', () => {
  for (const [key, spellings] of keys) {
    const redact = createRedact([key])
    for (const text of spellings)
      assert.is(redact(`x ${text} y ${text}`), 'x [redacted] y [redacted]', text)
  }
})

test('redacts the longer of two keys first', () => {
  assert.is(createRedact(['abcd', 'abcdefgh'])('abcdefgh abcd'), '[redacted] [redacted]')
})

test('does not change a text without a secret, or with one as short as a common word', () => {
  assert.is(createRedact([])('text'), 'text')
  assert.is(createRedact(['', 'key'])('Check your API key.'), 'Check your API key.')
})

test('redacts any secret in any text, in each of these encodings', () => {
  const secret = fc.string({ unit: fc.constantFrom(...'abAB%41\\"u/ é'), minLength: 4 })
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
      const redact = createRedact([key])
      for (const text of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) {
        const shown = redact(before + text + after)
        assert.ok(shown.includes('[redacted]'), shown)
        assert.not(shown.includes(text), shown)
      }
    }),
  )
})

test.run()
