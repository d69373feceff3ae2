import { incompleteBeta } from './beta'
import type { Numbers } from './numbers'

/**
 * Computes the two-sided p-value of McNemar's exact test. `onlySecondRight` rows are right only in the second run,
 * `onlyFirstRight` rows only in the first. The null hypothesis is that both kinds are equally likely. With the smaller number k of
 * the two and their sum n, p = min(1, 2·P(X ≤ k)) for X ~ Binomial(n, ½). Without such rows, p is 1. McNemar, Psychometrika 12 (1947).
 */
export const computeMcnemarPValue = (onlySecondRight: number, onlyFirstRight: number): number => {
  const n = onlySecondRight + onlyFirstRight
  const k = Math.min(onlySecondRight, onlyFirstRight)
  // Both numbers are equal, so P(X ≤ k) is at least ½.
  if (k * 2 >= n) return 1
  // P(X ≤ k) = I½(n − k, k + 1)
  return Math.min(1, 2 * incompleteBeta(0.5, n - k, k + 1))
}

/**
 * Corrects p-values for multiple tests by Holm's method. In ascending order, the i-th of m p-values (counted from 0) is
 * multiplied by m − i. A result that is below the previous one is raised to it, and a result above 1 becomes 1. Results are in the
 * order of `pValues`. Holm, Scand. J. Statist. 6 (1979).
 */
export const adjustByHolm = (pValues: Numbers): ReadonlyArray<number> => {
  const ascending = Array.from(pValues, (p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const corrected = new Array<number>(ascending.length)
  let previous = 0
  ascending.forEach(({ p, index }, i) => {
    previous = Math.min(1, Math.max(previous, p * (ascending.length - i)))
    corrected[index] = previous
  })
  return corrected
}
