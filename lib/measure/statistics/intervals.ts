import { betaQuantile } from './beta'

/** An interval that probably contains a figure. It is a type because an interface cannot be part of a `Draft`. */
export type Interval = {
  readonly low: number
  readonly high: number
}

/** The 97.5 % point of the normal distribution, for two-sided 95 % intervals. */
export const z95 = 1.959963984540054

/**
 * Wilson's 95 % interval of a share observed in `n` rows: all shares q with |share − q| ≤ z·√(q(1 − q)/n). `n`
 * need not be whole (an effective size). Wilson, JASA 22 (1927).
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
 * (1934).
 */
export const clopperPearsonLower = (successes: number, n: number, confidence: number): number =>
  successes <= 0 ? 0 : betaQuantile(1 - confidence, successes, n - successes + 1)
