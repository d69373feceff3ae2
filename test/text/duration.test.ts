import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formatDuration, parseDuration, toMillis } from '../../lib/text/duration'
import * as fc from '../support/fast-check'
import { readVectors } from '../support/vectors'

const test = suite('text/duration')

/** Cases for parsing and formatting. */
interface Vectors {
  /** Texts that svc parses, and the nanoseconds that they mean. */
  readonly accept: ReadonlyArray<readonly [text: string, ns: string]>
  /** Texts that svc refuses. */
  readonly reject: ReadonlyArray<string>
  /** Nanoseconds that svc formats, and the resulting texts. */
  readonly printed: ReadonlyArray<readonly [text: string, ns: string]>
}

const projectVectors: Vectors = {
  accept: [
    ['0', '0'],
    ['-0', '0'],
    ['1h2m3.5s', '3723500000000'],
    ['100ms', '100000000'],
    ['1.5h', '5400000000000'],
    ['7µs', '7000'],
    ['7us', '7000'],
    ['9ns', '9'],
    ['+2m', '120000000000'],
    ['-2m', '-120000000000'],
    ['.5s', '500000000'],
    ['5.s', '5000000000'],
    // The largest and the smallest 64-bit number
    ['9223372036854775807ns', '9223372036854775807'],
    ['-9223372036854775808ns', '-9223372036854775808'],
    // More digits than a float has
    ['0.3333333333333333333h', '1200000000000'],
    ['0.99999999999999999999999999s', '1000000000'],
  ],
  reject: [
    '',
    '10',
    's',
    '-',
    '.',
    '.s',
    '1d',
    '1 s',
    ' 1s',
    '1s ',
    '1sm',
    '1e3s',
    '--1s',
    '1_0s',
    'soon',
    '1s2',
    // Out of range
    '9223372036854775808ns',
    '3000000h',
    // An Arabic digit
    '٣s',
    // A name that every object inherits
    '1constructor',
  ],
  printed: [
    ['0s', '0'],
    ['1ns', '1'],
    ['1.5µs', '1500'],
    ['100ms', '100000000'],
    ['1.5s', '1500000000'],
    ['10s', '10000000000'],
    ['-1s', '-1000000000'],
    ['2m0s', '120000000000'],
    ['1h0m0s', '3600000000000'],
    ['1h0m0.5s', '3600500000000'],
  ],
}

const vectorSets = [
  { name: 'vectors of this project', vectors: projectVectors },
  { name: "Go's vectors", vectors: readVectors<Vectors>('go-durations.json') },
]

for (const { name, vectors } of vectorSets) {
  test(`${name}: parses`, () => {
    for (const [text, ns] of vectors.accept)
      assert.is(String(parseDuration(text).duration), ns, text)
  })
  test(`${name}: refuses with a reason`, () => {
    for (const text of vectors.reject) {
      const parsed = parseDuration(text)
      assert.is(parsed.duration, undefined, text)
      assert.ok('reason' in parsed && parsed.reason !== '', text)
    }
  })
  test(`${name}: formats`, () => {
    for (const [text, ns] of vectors.printed) assert.is(formatDuration(BigInt(ns)), text)
  })
}

test('parses every duration that it formats', () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (ns) => {
      assert.is(parseDuration(formatDuration(ns)).duration, ns)
    }),
  )
})

test('never throws, and every parsed duration fits 64 bits', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[-+]?[0-9.hmsnuµ]{0,30}$/))
  fc.assert(
    fc.property(text, (input) => {
      const { duration } = parseDuration(input)
      assert.ok(duration === undefined || BigInt.asIntN(64, duration) === duration)
    }),
  )
})

test('converts to milliseconds with their fraction', () => {
  assert.is(toMillis(1_500_000n), 1.5)
  assert.is(toMillis(-10_000_000_000n), -10_000)
})

test.run()
