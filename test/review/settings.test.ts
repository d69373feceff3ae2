import * as E from 'fp-ts/Either'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { usage } from '../../lib/failure/failure'
import { type SettingFlags, settings } from '../../lib/review/settings'

const test = suite('review: settings')

const defaults: SettingFlags = {
  'min-cover': 0.6,
  'max-contradict': 0.4,
  'min-thorough': 2,
  'max-state-bytes': 100000,
  'unit-timeout': 120_000_000_000n,
  concurrency: 4,
}

test('the defaults', () => {
  assert.equal(
    settings(defaults),
    E.right({
      minCover: 0.6,
      maxContradict: 0.4,
      minThorough: 2,
      bundleBytes: 50000,
      unitTimeoutMs: 120000,
      unitTimeoutText: '2m0s',
      concurrency: 4,
    }),
  )
})

test('an odd budget is halved downwards', () => {
  for (const [bytes, half] of [
    [7, 3],
    [1, 0],
  ] as const) {
    const read = settings({ ...defaults, 'max-state-bytes': bytes })
    assert.is(E.isRight(read) && read.right.bundleBytes, half)
  }
})

const refused: ReadonlyArray<readonly [Partial<SettingFlags>, string]> = [
  [{ 'min-cover': 60 }, '--min-cover must be between 0 and 1, got 60'],
  [{ 'min-cover': -0.1 }, '--min-cover must be between 0 and 1, got -0.1'],
  [{ 'max-contradict': 1.5 }, '--max-contradict must be between 0 and 1, got 1.5'],
  [{ 'min-thorough': 3.1 }, '--min-thorough must be between 0 and 3, got 3.1'],
  [{ 'min-thorough': -1 }, '--min-thorough must be between 0 and 3, got -1'],
  [{ 'max-state-bytes': 0 }, '--max-state-bytes must be at least 1, got 0'],
  [{ 'max-state-bytes': -2 }, '--max-state-bytes must be at least 1, got -2'],
  [{ concurrency: 0 }, '--concurrency must be at least 1, got 0'],
  [{ concurrency: -1 }, '--concurrency must be at least 1, got -1'],
  [{ 'unit-timeout': -1_000_000_000n }, '--unit-timeout must not be negative, got -1s'],
]

for (const [flags, message] of refused) {
  test(message, () => {
    assert.equal(settings({ ...defaults, ...flags }), E.left(usage(message)))
  })
}

test.run()
