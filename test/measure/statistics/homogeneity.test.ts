import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  computeHomogeneityPValue,
  newcombeInterval,
} from '../../../lib/measure/statistics/homogeneity'
import { adjustByHolm } from '../../../lib/measure/statistics/hypotheses'
import { readVectors } from '../../support/vectors'
import { assertNear } from './vectors'

const test = suite('homogeneity of two samples')

interface DriftVectors {
  readonly cases: ReadonlyArray<{
    readonly a: ReadonlyArray<number>
    readonly b: ReadonlyArray<number>
    readonly smallest_expected: number
    /** Null if an expected number is below 5. */
    readonly p: number | null
    readonly decisions: ReadonlyArray<
      Readonly<Record<'a' | 'b' | 'difference' | 'low' | 'high', number>>
    >
  }>
  readonly holm: Readonly<Record<'p' | 'p_holm', ReadonlyArray<number>>>
}

const vectors = readVectors<DriftVectors>('drift.json')

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((a, b) => a + b, 0)

test('the p-values of the chi-square test are those of SciPy', () => {
  let count = 0
  for (const { a, b, p } of vectors.cases) {
    if (p === null) continue
    assertNear(computeHomogeneityPValue({ a, b }, 0), p, `p of ${a} and ${b}`, 1e-12)
    count++
  }
  assert.is(count, 25)
})

test('the intervals of differences are those of statsmodels', () => {
  for (const { a, b, decisions } of vectors.cases)
    decisions.forEach((expected, k) => {
      const { low, high } = newcombeInterval(
        { share: (a[k] as number) / sum(a), n: sum(a) },
        { share: (b[k] as number) / sum(b), n: sum(b) },
      )
      assertNear(low, expected.low, `low of ${k} of ${a}`)
      assertNear(high, expected.high, `high of ${k} of ${a}`)
    })
})

test("the p-values corrected by Holm's method are those of the vectors", () => {
  const { p, p_holm } = vectors.holm
  adjustByHolm(p).forEach((value, i) => {
    assertNear(value, p_holm[i], `p ${i}`)
  })
})

test('with rare decisions, the permutation test comes near the exact probability', () => {
  // Fisher's exact probability of 4 of 5 against 1 of 10, for all tables with a statistic at least as large: computed by hand from the
  // hypergeometric distribution with 5 marked of 15, and 5 drawn: P(4) + P(5) = (5·10 + 1) / 3003.
  const exact = 51 / 3003
  const p = computeHomogeneityPValue({ a: [4, 1], b: [1, 9] }, 0)
  assert.ok(Math.abs(p - exact) < 0.005, String(p))
  assert.is(computeHomogeneityPValue({ a: [4, 1], b: [1, 9] }, 0), p, 'the same seed')
})

test('the permutation test agrees with the chi-square test on large samples with one rare decision', () => {
  const common = { a: [480, 520], b: [530, 470] }
  const chiSquare = computeHomogeneityPValue(common, 0)
  // The third decision comes three times in each sample, so it hardly changes the statistic, but adds a degree of freedom.
  const permuted = computeHomogeneityPValue({ a: [480, 520, 3], b: [530, 470, 3] }, 0)
  assert.ok(permuted > chiSquare && permuted < 0.12, `${chiSquare}, ${permuted}`)
})

test('without rows in one sample, or with only one decision, p is 1', () => {
  assert.is(computeHomogeneityPValue({ a: [5, 0], b: [900, 0] }, 0), 1)
  assert.is(computeHomogeneityPValue({ a: [0, 0], b: [3, 4] }, 0), 1)
})

test.run()
