import type { Platt } from '../../../runs/policy/calibration-map'
import { findIndexes, mapNumbers, type Numbers, sum } from '../numbers'

/** Computes ln(1 + e^z) without overflow. */
const softplus = (z: number): number => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)))

const maxSteps = 50

/**
 * Fits a logistic regression of the truth (1 or 0) on `x`, logit p, by Newton's method, with steps halved until the
 * loss falls. Platt (1999), without his smoothed targets: Kull, Silva Filho and Flach (2017), 3.1. If a threshold on
 * p separates the classes without error, the slope would grow without limit and every probability become 0 or 1; only
 * then the smoothed targets are used. Rows of weight 0 are ignored.
 */
export const fitPlatt = (x: Float64Array, truth: Numbers, weights: Numbers): Platt =>
  fitLine(x, isSeparated(x, truth, weights) ? smoothTargets(truth, weights) : truth, weights)

/**
 * True if a threshold on x separates all positives from all negatives, in either direction; points on the threshold
 * are ignored. Albert and Anderson (1984)
 */
const isSeparated = (x: Float64Array, truth: Numbers, weights: Numbers): boolean => {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [no: number, yes: number]
  const most = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as [no: number, yes: number]
  for (let i = 0; i < x.length; i++) {
    if (weights[i] === 0) continue
    const side = truth[i] === 1 ? 1 : 0
    least[side] = Math.min(least[side], x[i] as number)
    most[side] = Math.max(most[side], x[i] as number)
  }
  // If all x are the same, no slope can grow, and the share of positives is the answer.
  if (Math.min(...least) === Math.max(...most)) return least.includes(Number.POSITIVE_INFINITY)
  return most[1] <= least[0] || most[0] <= least[1]
}

/**
 * Platt's smoothed targets, which reflect how certain so few rows can make one: (n₊ + 1)/(n₊ + 2) for each of
 * n₊ positives, 1/(n₋ + 2) for each of n₋ negatives. Platt (1999)
 */
const smoothTargets = (truth: Numbers, weights: Numbers): Numbers => {
  const positives = sum(mapNumbers(truth, (one, i) => (weights[i] === 0 ? 0 : one)))
  const negatives = findIndexes(weights, (weight) => weight > 0).length - positives
  return mapNumbers(truth, (one) =>
    one === 1 ? (positives + 1) / (positives + 2) : 1 / (negatives + 2),
  )
}

const fitLine = (x: Float64Array, truth: Numbers, weights: Numbers): Platt => {
  const loss = ({ slope, intercept }: Platt): number => {
    let total = 0
    for (let i = 0; i < x.length; i++) {
      const z = slope * (x[i] as number) + intercept
      total += (weights[i] as number) * (softplus(z) - (truth[i] as number) * z)
    }
    return total
  }
  let at: Platt = { slope: 1, intercept: 0 }
  let best = loss(at)
  for (let step = 0; step < maxSteps; step++) {
    const direction = newtonStep(x, truth, weights, at)
    if (direction === undefined) break
    let size = 1
    let next = moveBy(at, direction, size)
    while (loss(next) > best && size > 1e-6) {
      size /= 2
      next = moveBy(at, direction, size)
    }
    const gained = best - loss(next)
    if (gained < 0) break
    at = next
    best -= gained
    if (Math.abs(direction.slope) + Math.abs(direction.intercept) < 1e-10) break
  }
  return at
}

const moveBy = (at: Platt, direction: Platt, size: number): Platt => ({
  slope: at.slope + size * direction.slope,
  intercept: at.intercept + size * direction.intercept,
})

/**
 * Computes the Newton step −H⁻¹g of the log loss. If all x are the same, the rows determine no slope and the step is
 * along the intercept only. Undefined if the rows do not determine that either.
 */
const newtonStep = (
  x: Float64Array,
  truth: Numbers,
  weights: Numbers,
  { slope, intercept }: Platt,
): Platt | undefined => {
  let [gx, g, hxx, hx, h] = [0, 0, 0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    const xi = x[i] as number
    const q = 1 / (1 + Math.exp(-(slope * xi + intercept)))
    const residual = (weights[i] as number) * (q - (truth[i] as number))
    const spread = (weights[i] as number) * q * (1 - q)
    gx += residual * xi
    g += residual
    hxx += spread * xi * xi
    hx += spread * xi
    h += spread
  }
  const determinant = hxx * h - hx * hx
  if (!(determinant > 1e-12 * hxx * h)) return h > 0 ? { slope: 0, intercept: -g / h } : undefined
  return {
    slope: -(h * gx - hx * g) / determinant,
    intercept: -(hxx * g - hx * gx) / determinant,
  }
}
