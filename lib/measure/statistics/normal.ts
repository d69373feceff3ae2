/** Computes P(Z ≤ z) of the standard normal distribution by the series of Marsaglia, Evaluating the Normal Distribution (2004). */
const normalProbability = (z: number): number => {
  let term = z
  let total = z
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(total); i += 2) {
    term *= (z * z) / i
    total += term
  }
  return 0.5 + (total * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)
}

/**
 * Finds the quantile `q` of the standard normal distribution, for `q` from ½ to below 1. Halves the interval [0, 9] until
 * its ends are neighbouring doubles.
 */
export const normalQuantile = (q: number): number => {
  let low = 0
  let high = 9
  for (;;) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) return middle
    if (normalProbability(middle) < q) low = middle
    else high = middle
  }
}
