import type { Platt } from '../../../runs/policy/policy'
import { findIndexes, mapNumbers, type Numbers, sum } from '../numbers'

/** Computes ln(1 + e^z) without overflow. */
const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))

/** The maximum number of Newton steps. */
const maxSteps = 50

/** Losses count as equal up to this relative difference, which rounding errors of sums can cause. */
const lossTolerance = 1e-13

/**
 * Fits a logistic regression of the truth (1 or 0) on `x`, the logit of p, as Platt (1999). Ignores rows of weight 0. Targets are
 * not smoothed (Kull, Silva Filho and Flach 2017, 3.1), unless a threshold separates the classes without error. Without smoothing,
 * the slope or the intercept would then grow without limit, and probabilities would become 0 or 1.
 */
export const fitPlatt = (x: Float64Array, truth: Numbers, weights: Numbers): Platt =>
  fitLogistic(x, isSeparated(x, truth, weights) ? smoothTargets(truth, weights) : truth, weights)

/**
 * Returns `true` if a threshold on x separates positives from negatives, or if all rows are of one class. The positives may be above
 * or below the threshold. Rows on the threshold are ignored. Albert and Anderson (1984)
 */
const isSeparated = (x: Float64Array, truth: Numbers, weights: Numbers): boolean => {
  // The range of a class without rows has its ends in reverse order.
  const positives = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
  const negatives = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
  for (let i = 0; i < x.length; i++) {
    if (weights[i] === 0) continue
    const range = truth[i] === 1 ? positives : negatives
    range.min = Math.min(range.min, x[i] as number)
    range.max = Math.max(range.max, x[i] as number)
  }
  const hasOneClass = positives.min > positives.max || negatives.min > negatives.max
  const isConstant =
    Math.min(positives.min, negatives.min) === Math.max(positives.max, negatives.max)
  // If all x are equal, the slope cannot grow, and the fit gives the share of positives. It is 0 or 1 only for a single class.
  if (isConstant) return hasOneClass
  return positives.max <= negatives.min || negatives.max <= positives.min
}

/**
 * Computes Platt's smoothed targets: (n₊ + 1)/(n₊ + 2) for each of n₊ positives, 1/(n₋ + 2) for each of n₋ negatives. These
 * targets keep a fit from being more certain than its number of rows allows. Platt (1999)
 */
const smoothTargets = (truth: Numbers, weights: Numbers): Numbers => {
  const positives = sum(mapNumbers(truth, (value, i) => (weights[i] === 0 ? 0 : value)))
  const negatives = findIndexes(weights, (weight) => weight > 0).length - positives
  return mapNumbers(truth, (value) =>
    value === 1 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2),
  )
}

/** Minimises the log loss by Newton's method. A step that does not reduce the loss is halved until it does. */
const fitLogistic = (x: Float64Array, targets: Numbers, weights: Numbers): Platt => {
  const computeLoss = ({ slope, intercept }: Platt): number => {
    let total = 0
    for (let i = 0; i < x.length; i++) {
      const z = slope * (x[i] as number) + intercept
      total += (weights[i] as number) * (softplus(z) - (targets[i] as number) * z)
    }
    return total
  }
  // The start leaves probabilities as they are.
  let current: Platt = { slope: 1, intercept: 0 }
  let loss = computeLoss(current)
  for (let step = 0; step < maxSteps; step++) {
    const newtonStep = computeNewtonStep(x, targets, weights, current)
    if (newtonStep === undefined) break
    let stepFactor = 1
    let next = moveBy(current, newtonStep, stepFactor)
    // Near the minimum, rounding errors can lift the loss of a better fit.
    const maxLoss = loss * (1 + lossTolerance)
    while (computeLoss(next) > maxLoss && stepFactor > 1e-6) {
      stepFactor /= 2
      next = moveBy(current, newtonStep, stepFactor)
    }
    const nextLoss = computeLoss(next)
    // If not even a millionth of the step reduces the loss, the minimum is reached, apart from rounding errors.
    if (nextLoss > maxLoss) break
    current = next
    loss = nextLoss
    if (Math.abs(newtonStep.slope) + Math.abs(newtonStep.intercept) < 1e-10) break
  }
  return current
}

const moveBy = (current: Platt, newtonStep: Platt, stepFactor: number): Platt => ({
  slope: current.slope + stepFactor * newtonStep.slope,
  intercept: current.intercept + stepFactor * newtonStep.intercept,
})

/**
 * Computes the Newton step −H⁻¹g of the log loss. If all x are equal, the rows do not determine a slope, and the step changes
 * only the intercept. `undefined` if the rows do not determine the intercept either.
 */
const computeNewtonStep = (
  x: Float64Array,
  targets: Numbers,
  weights: Numbers,
  { slope, intercept }: Platt,
): Platt | undefined => {
  // The gradient (gx, g) and the Hessian ((hxx, hx), (hx, h)) in slope and intercept.
  let gx = 0
  let g = 0
  let hxx = 0
  let hx = 0
  let h = 0
  for (let i = 0; i < x.length; i++) {
    const xi = x[i] as number
    const probability = 1 / (1 + Math.exp(-(slope * xi + intercept)))
    const residual = (weights[i] as number) * (probability - (targets[i] as number))
    const spread = (weights[i] as number) * probability * (1 - probability)
    gx += residual * xi
    g += residual
    hxx += spread * xi * xi
    hx += spread * xi
    h += spread
  }
  const determinant = hxx * h - hx * hx
  // Apart from rounding errors, the determinant is 0 if all x are equal. The comparison is also false for NaN.
  const determinesSlope = determinant > 1e-12 * hxx * h
  if (!determinesSlope) return h > 0 ? { slope: 0, intercept: -g / h } : undefined
  return {
    slope: -(h * gx - hx * g) / determinant,
    intercept: -(hxx * g - hx * gx) / determinant,
  }
}
