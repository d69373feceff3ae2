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
  {
    secret: 'sk-live-q8',
    spellings: [
      // Python's `quote` leaves `-` as it is, other encoders do not.
      'sk%2dlive%2Dq8',
      '%73%6B%2D%6c%69%76%65-q8',
      '\\u0073\\u006B-live-q8',
      'sk-live-\\u0071\\u0038',
      // JSON inside of JSON
      '\\\\u0073k-live-\\\\u0071\\\\u0038',
      // A shell
      'sk\\-live\\-q8',
      // Base64, without the padding
      'c2stbGl2ZS1xOA',
      'c2stbGl2ZS1xODo',
    ],
  },
  { secret: 'key/ü?>~~', spellings: ['key%2f%C3%bc?%3e%7e~', 'a2V5L8O8Pz5-fg', 'a2V5L8O8Pz5+fg'] },
  { secret: 'ends-with-%', spellings: ['ends-with-%', 'ends-with-%25'] },
  { secret: 'a\tb\u0007c', spellings: ['a\\tb\\u0007c', 'a%09b%07c'] },
  // `$&` has a special meaning in replacement texts.
  { secret: 'p q%41$&', spellings: ['p q%41$&', 'p%20q%2541%24%26'] },
  // The minimum length
  { secret: 'keys', spellings: ['keys'] },
  // A lone surrogate, which cannot be percent-encoded
  { secret: '\ud800key', spellings: ['\ud800key', '\\ud800key'] },
]

test('redacts a secret verbatim, escaped, percent-encoded and in Base64', () => {
  for (const { secret, spellings } of secrets) {
    const redact = createRedact([secret])
    for (const text of spellings)
      assert.is(redact(`x ${text} y ${text}`), 'x [redacted] y [redacted]', text)
  }
})

test('leaves JSON with a secret valid', () => {
  for (const { secret } of secrets) {
    const redact = createRedact([secret])
    for (const prefix of ['', '\\', '\\\\', '"']) {
      const json = JSON.stringify(prefix + secret)
      assert.is(JSON.parse(redact(json)), `${prefix}[redacted]`, json)
    }
  }
})

test('redacts a secret of 8,000 characters in every spelling', () => {
  const secret = 'k"y/\\c%-'.repeat(1000)
  const redact = createRedact([secret])
  const json = JSON.stringify(secret).slice(1, -1)
  for (const text of [secret, json, encodeURIComponent(secret)])
    assert.is(redact(`x ${text} ${text}${text} y`), 'x [redacted] [redacted][redacted] y')
})

test('takes linear time for many backslashes', () => {
  const redact = createRedact(['\\'.repeat(40), '\\/'.repeat(40)])
  const text = `${'\\'.repeat(39)}x${'\\\\/'.repeat(39)}x`.repeat(100)
  assert.is(redact(text), text)
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
