import { betaQuantile, incompleteBeta } from './beta'
import type { Numbers } from './numbers'

/** An interval in which a figure probably lies. (Types, unlike interfaces, can be part of a `Draft` as they are.) */
export type Interval = {
  readonly low: number
  readonly high: number
}

/** The 97.5 % point of the normal distribution, for two-sided 95 % intervals. */
export const z95 = 1.959963984540054

/**
 * Wilson's 95 % interval of a share observed in `n` rows: all shares q with |share − q| ≤ z·√(q(1 − q)/n). `n`
 * need not be whole (an effective size, R19). Wilson, JASA 22 (1927).
 */
export const wilson = (share: number, n: number): Interval => {
  const z2 = z95 ** 2
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n)
  const half = (z95 / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))
  return {
    low: share === 0 ? 0 : Math.max(0, centre - half),
    high: share === 1 ? 1 : Math.min(1, centre + half),
  }
}

/**
 * The one-sided Clopper–Pearson lower bound of a share, of which `successes` in `n` rows were observed: the 1 −
 * confidence quantile of Beta(k, n − k + 1). Neither number need be whole. Clopper and Pearson, Biometrika 26
 * (1934). R21
 */
export const clopperPearsonLower = (successes: number, n: number, confidence: number): number =>
  successes <= 0 ? 0 : betaQuantile(1 - confidence, successes, n - successes + 1)

/**
 * McNemar's exact test: the two-sided probability that, among the rows where one run is right and the other
 * wrong, the split is at least this uneven if both runs are equally good: min(1, 2·P(X ≤ min)) with X ~
 * Binomial(fixed + broken, ½). 1 where there are no such rows. McNemar, Psychometrika 12 (1947).
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
