import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../lib/text/secret'
import * as fc from '../support/fast-check'

const test = suite('text/secret')

const secrets: ReadonlyArray<{
  readonly secret: string
  readonly spellings: ReadonlyArray<string>
}> = [
  {
    secret: 'sk-"a/b\\é$.',
    spellings: [
      'sk-"a/b\\é$.',
      // JSON, also with escaped slashes
      'sk-\\"a/b\\\\é$.',
      'sk-\\"a\\/b\\\\é$.',
      // Percent-encoded
      'sk-%22a%2Fb%5C%C3%A9%24.',
      'sk-%22a%2fb%5c%c3%a9%24.',
    ],
  },
  // `$&` has a special meaning in replacement texts.
  { secret: 'p q%41$&', spellings: ['p q%41$&', 'p%20q%2541%24%26'] },
  // The minimum length
  { secret: 'keys', spellings: ['keys'] },
  // A lone surrogate, which cannot be percent-encoded
  { secret: '\ud800key', spellings: ['\ud800key', '\\ud800key'] },
]

test('redacts a secret verbatim, JSON-escaped and percent-encoded', () => {
  for (const { secret, spellings } of secrets) {
    const redact = createRedact([secret])
    for (const text of spellings)
      assert.is(redact(`x ${text} y ${text}`), 'x [redacted] y [redacted]', text)
  }
})

test('redacts the longer of two secrets first', () => {
  assert.is(createRedact(['abcd', 'abcdefgh'])('abcdefgh abcd'), '[redacted] [redacted]')
})

test('does not change a text without a secret', () => {
  assert.is(createRedact([])('text'), 'text')
  assert.is(createRedact(['secret'])('text'), 'text')
})

test('does not redact secrets of fewer than four characters', () => {
  assert.is(createRedact(['', 'key'])('Check your API key.'), 'Check your API key.')
})

test('redacts any secret in any text: verbatim, JSON-escaped or percent-encoded', () => {
  // Letters that may be hexadecimal digits, and characters that an encoding escapes or that begin an escape
  const anySecret = fc.string({ unit: fc.constantFrom(...'abAB%41\\"u/ é'), minLength: 4 })
  fc.assert(
    fc.property(anySecret, fc.string(), fc.string(), (secret, before, after) => {
      const redact = createRedact([secret])
      for (const text of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ]) {
        const shown = redact(before + text + after)
        assert.ok(shown.includes('[redacted]'), shown)
        assert.not(shown.includes(text), shown)
      }
    }),
  )
})

test.run()
