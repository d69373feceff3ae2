/** The coefficients of Lanczos' series for ln Γ(x) for g = 7 (Press et al., Numerical Recipes, 6.1). */
const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

/** Computes ln Γ(x) for x ≥ 1/2. */
export const logGamma = (x: number): number => {
  // x + g − ½ with g = 7
  const shifted = x + 6.5
  let series = lanczos[0] as number
  for (let i = 1; i < lanczos.length; i++) series += (lanczos[i] as number) / (x - 1 + i)
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(series)
}

/** Prevents an endless loop. The continued fraction converges in about √max(a, b) steps for the arguments that `incompleteBeta` passes. */
const maxSteps = 100_000

/** Replaces numbers that are too close to 0 to divide by. */
export const avoidZero = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value)

/** Evaluates the continued fraction of the incomplete beta function by Lentz's method (Numerical Recipes, 6.4). */
const evaluateFraction = (x: number, a: number, b: number): number => {
  // The ratio of the last two numerators of the fraction, and the inverse ratio of the last two denominators.
  let c = 1
  let d = 1 / avoidZero(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m < maxSteps; m++) {
    const evenTerm = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / avoidZero(1 + evenTerm * d)
    c = avoidZero(1 + evenTerm / c)
    result *= c * d
    const oddTerm = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / avoidZero(1 + oddTerm * d)
    c = avoidZero(1 + oddTerm / c)
    result *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return result
}

/**
 * Computes the regularised incomplete beta function Iₓ(a, b) for a, b ≥ 1/2: the probability that a Beta(a, b)
 * variable is at most `x`. If a and b are whole numbers, it is also the probability of at least `a` successes in
 * a + b − 1 trials with success probability `x`.
 */
export const incompleteBeta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const prefactor = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  )
  // The fraction converges fast below this limit. Above it, Iₓ(a, b) = 1 − I₁₋ₓ(b, a) is used.
  return x < (a + 1) / (a + b + 2)
    ? (prefactor * evaluateFraction(x, a, b)) / a
    : 1 - (prefactor * evaluateFraction(1 - x, b, a)) / b
}

/** Finds the point of [0, `max`] up to which `isBelow` is true. Halves the interval until its ends are neighbouring doubles. */
export const bisect = (max: number, isBelow: (value: number) => boolean): number => {
  let low = 0
  let high = max
  for (;;) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) return middle
    if (isBelow(middle)) low = middle
    else high = middle
  }
}

/** Finds the quantile of the Beta(a, b) distribution: the `x` with Iₓ(a, b) = `probability`. */
export const betaQuantile = (probability: number, a: number, b: number): number =>
  bisect(1, (x) => incompleteBeta(x, a, b) < probability)
