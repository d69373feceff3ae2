import { incompleteBeta } from './beta'
import type { Numbers } from './numbers'

/**
 * McNemar's exact test: the two-sided probability that, among the rows where one run is right and the other
 * wrong, the split is at least this uneven if both runs are equally good: min(1, 2·P(X ≤ min)) with X ~
 * Binomial(fixed + broken, ½). 1 if there are no such rows. McNemar, Psychometrika 12 (1947).
 */
export const mcnemarExact = (fixed: number, broken: number): number => {
  const n = fixed + broken
  const fewer = Math.min(fixed, broken)
  return fewer * 2 >= n ? 1 : Math.min(1, 2 * incompleteBeta(0.5, n - fewer, fewer + 1))
}

/**
 * Holm's correction for multiple tests: the i-th smallest of m p-values (from 0) is multiplied by m − i; the
 * result is at least that of the one before and at most 1. Returned in the given order. Holm, Scand. J.
 * Statist. 6 (1979).
 */
export const holm = (pValues: Numbers): ReadonlyArray<number> => {
  const order = Array.from(pValues, (p, place) => ({ p, place })).sort((a, b) => a.p - b.p)
  const adjusted: number[] = order.map(() => 1)
  let before = 0
  order.forEach(({ p, place }, i) => {
    before = Math.min(1, Math.max(before, p * (order.length - i)))
    adjusted[place] = before
  })
  return adjusted
}
