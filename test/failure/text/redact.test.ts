import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRedact } from '../../../lib/failure/text/redact'
import * as fc from '../../support/fast-check'

const test = suite('text/redact')

const keys: ReadonlyArray<readonly [key: string, spellings: ReadonlyArray<string>]> = [
  [
    'sk-"a/b\\é$.',
    [
      'sk-"a/b\\é$.',
      'SK-"A/B\\É$.',
      'sk-\\"a\\/b\\\\\\u00e9$.',
      'sk-\\u0022a\\u002Fb\\u005cé\\u0024.',
      'sk-%22a%2Fb%5C%C3%A9%24.',
      'sk-%22a%2fb%5c%e9$.',
      '%73%6B%2d%22%61%2F%62%5C%C3%A9%24%2E',
      '\\u0025\\u0037\\u0033k-\\"a/b\\\\\\u0025\\u0063\\u0033%a9$.',
    ],
  ],
  ['p q%41\\u0042', ['p q%41\\u0042', 'p%20q%41\\u0042', 'p%20q%2541%5cu0042', 'P q%41\\\\u0042']],
  ['keys', ['keys', 'KEYS', 'k%65ys', '\\u006beys']],
]

test('D52: a key is found in every spelling', () => {
  for (const [key, spellings] of keys) {
    const redact = createRedact([key])
    for (const text of spellings) {
      assert.is(redact(`x ${text} y ${text}`), 'x [redacted] y [redacted]', text)
      assert.is(redact(text), '[redacted]', text)
      assert.is(redact(text.slice(1)), text.slice(1), text)
    }
  }
})

test('occurrences side by side are two, and one where they overlap', () => {
  assert.is(createRedact(['abcd'])('abcdabcd'), '[redacted][redacted]')
  assert.is(createRedact(['abab'])('xabababx'), 'x[redacted]x')
  assert.is(createRedact(['abcd', 'cdef'])('abcdef-cdef'), '[redacted]-[redacted]')
})

test('no secret, or one as short as a common word, takes nothing away', () => {
  assert.is(createRedact([])('text'), 'text')
  assert.is(createRedact(['', 'key'])('Check your API key.'), 'Check your API key.')
  // It reads as two characters once it is decoded.
  assert.is(createRedact(['%41%'])('A%20b and %41%'), 'A%20b and [redacted]')
})

const secret = fc.string({ unit: fc.constantFrom(...'abAB%41\\"u/ é'), minLength: 4, maxLength: 9 })
const other = fc.string({ unit: fc.constantFrom(...'abAB%41\\"u/ é😀') })

/** Each character in one of its spellings, as the numbers pick. */
const spelt = (text: string, picks: ReadonlyArray<number>): string =>
  [...text]
    .map((character, at) => {
      const hex = character.charCodeAt(0).toString(16).padStart(4, '0')
      const ways = [
        character,
        character.toUpperCase(),
        `\\u${hex}`,
        encodeURIComponent(character),
        `%${hex.slice(2)}`,
      ]
      return ways[(picks[at % Math.max(1, picks.length)] ?? 0) % ways.length]
    })
    .join('')

test('what a program makes of a secret is found wherever it stands', () => {
  fc.assert(
    fc.property(secret, other, other, (key, before, after) => {
      const redact = createRedact([key])
      const written = [
        key,
        key.toUpperCase(),
        JSON.stringify(key).slice(1, -1),
        encodeURIComponent(key),
      ]
      for (const text of written) {
        const shown = redact(`${before} ${text} ${after}`)
        assert.ok(shown.includes('[redacted]'), shown)
        assert.not(shown.toLowerCase().includes(key.toLowerCase()), shown)
      }
    }),
  )
})

test('so is a secret without escapes of its own, each character spelt in any way', () => {
  const plain = fc.string({ unit: fc.constantFrom(...'abz é"$-'), minLength: 4, maxLength: 9 })
  fc.assert(
    fc.property(plain, fc.array(fc.nat(4)), (key, picks) => {
      assert.is(createRedact([key])(`<${spelt(key, picks)}>`), '<[redacted]>')
    }),
  )
})

test('text without a secret comes out as it went in', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.anyCharacter }), (text) => {
      assert.is(createRedact(['no such key'])(text), text)
    }),
  )
})

test('the beginning of a redacted text is that of the whole', () => {
  const parts = fc.array(fc.oneof(other, fc.constantFrom('KEY1', 'key1', '%4bey1', '\\u004bEY1')))
  fc.assert(
    fc.property(parts, fc.nat(40), (list, most) => {
      const redact = createRedact(['KEY1'])
      const text = list.join('').repeat(20)
      const whole = redact(text)
      const start = redact.beginning(text, most)
      assert.ok(start.length >= Math.min(most, whole.length))
      assert.ok(whole.startsWith(start))
    }),
  )
})

test('D67: megabytes that nearly hold the key are read in one go', () => {
  const key = `${'a'.repeat(4000)}b${'a'.repeat(4000)}`
  const redact = createRedact([key])
  for (const unit of ['a', '\\u0061', '%61', '\\', '%'])
    assert.is(redact(unit.repeat(400_000)), unit.repeat(400_000))
  assert.is(redact(`${'a'.repeat(400_000)}${key}`).length, 400_000 + '[redacted]'.length)
})

test.run()
