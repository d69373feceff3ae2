import { betaQuantile, bisect } from './beta'

/** A confidence interval. It is a type because an interface cannot be part of a `Draft`, the type of values to encode as JSON. */
export type Interval = {
  readonly low: number
  readonly high: number
}

/** The 97.5 % quantile of the standard normal distribution, for two-sided 95 % intervals. */
export const z95 = 1.959963984540054

/**
 * Computes Wilson's 95 % interval of a share that was observed in `n` rows: all shares q with
 * |share − q| ≤ z·√(q(1 − q)/n). `n` can be an effective size, which is not a whole number. Wilson, JASA 22 (1927).
 */
export const wilsonInterval = (share: number, n: number): Interval => {
  const zSquared = z95 ** 2
  const centre = (share + zSquared / (2 * n)) / (1 + zSquared / n)
  const halfWidth =
    (z95 / (1 + zSquared / n)) * Math.sqrt((share * (1 - share)) / n + zSquared / (4 * n * n))
  // The interval of the share 0 begins at 0, and that of the share 1 ends at 1. Rounding errors could move these ends.
  return {
    low: share === 0 ? 0 : Math.max(0, centre - halfWidth),
    high: share === 1 ? 1 : Math.min(1, centre + halfWidth),
  }
}

/**
 * Computes the one-sided Clopper–Pearson lower bound of a share from k `successes` in `n` rows: the (1 − confidence)
 * quantile of Beta(k, n − k + 1). `successes` and `n` can be effective sizes, which are not whole numbers. Clopper and
 * Pearson, Biometrika 26 (1934).
 */
export const clopperPearsonLower = (successes: number, n: number, confidence: number): number =>
  successes <= 0 ? 0 : betaQuantile(1 - confidence, successes, n - successes + 1)

/** Computes P(Z ≤ z) of the standard normal distribution by the series of Marsaglia, Evaluating the Normal Distribution (2004). */
const computeNormalProbability = (z: number): number => {
  // The terms of the series are z, z³/3, z⁵/(3·5), …
  let term = z
  let total = z
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(total); i += 2) {
    term *= (z * z) / i
    total += term
  }
  return 0.5 + (total * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}

/** Finds the quantile of the standard normal distribution for a probability from ½ to below 1. */
export const normalQuantile = (probability: number): number =>
  // Finds the z up to which P(Z ≤ z) is below the probability. The search ends at 9, since P(Z ≤ 9) is 1 in double precision.
  bisect(9, (z) => computeNormalProbability(z) < probability)

/**
 * Computes the square of Student's t for two-sided 95 % intervals: P(T² ≤ t²) = 0.95 with `degrees` degrees of freedom. ν / (ν + T²) has
 * the distribution Beta(ν/2, ½).
 */
export const squaredStudent95 = (degrees: number): number =>
  degrees * (1 / betaQuantile(0.05, degrees / 2, 0.5) - 1)
