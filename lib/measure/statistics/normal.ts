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

/**
 * Finds the quantile of the standard normal distribution for a probability from ½ to below 1. Halves the interval [0, 9] until
 * its ends are neighbouring doubles. P(Z ≤ 9) is 1 in double precision.
 */
export const normalQuantile = (probability: number): number => {
  let low = 0
  let high = 9
  for (;;) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) return middle
    if (computeNormalProbability(middle) < probability) low = middle
    else high = middle
  }
}
