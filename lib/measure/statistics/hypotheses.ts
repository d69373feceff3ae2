import { incompleteBeta } from './beta'
import type { Numbers } from './numbers'

/**
 * Computes the two-sided p-value of McNemar's exact test. `fixed` rows are right only in the second run, `broken` rows only
 * in the first. The null hypothesis is that both kinds are equally likely: p = min(1, 2·P(X ≤ min(fixed, broken))) with
 * X ~ Binomial(fixed + broken, ½). 1 if both are 0. McNemar, Psychometrika 12 (1947).
 */
export const computeMcnemarPValue = (fixed: number, broken: number): number => {
  const n = fixed + broken
  const fewer = Math.min(fixed, broken)
  return fewer * 2 >= n ? 1 : Math.min(1, 2 * incompleteBeta(0.5, n - fewer, fewer + 1))
}

/**
 * Corrects p-values for multiple tests by Holm's method. In ascending order, the i-th of m p-values (counted from 0) is
 * multiplied by m − i. No result is below the one before it or above 1. Results are in the order of `pValues`. Holm,
 * Scand. J. Statist. 6 (1979).
 */
export const adjustByHolm = (pValues: Numbers): ReadonlyArray<number> => {
  const ascending = Array.from(pValues, (p, index) => ({ p, index })).sort((a, b) => a.p - b.p)
  const corrected: number[] = ascending.map(() => 1)
  let previous = 0
  ascending.forEach(({ p, index }, i) => {
    previous = Math.min(1, Math.max(previous, p * (ascending.length - i)))
    corrected[index] = previous
  })
  return corrected
}
