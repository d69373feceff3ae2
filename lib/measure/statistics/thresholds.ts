import { divideOrNull } from './classification'
import { type Numbers, sortDescending, sum } from './numbers'

/** The figures of a threshold on probabilities of yes. */
export type SweepPoint = {
  readonly at: number
  readonly precision: number | null
  readonly recall: number | null
  readonly f1: number | null
  readonly accuracy: number
  /** The number of rows at or above the threshold. */
  readonly accepted: number
}

/**
 * Computes precision, recall, F1 and accuracy if a row with `p >= at` counts as a yes. Precision is null if nothing
 * is accepted, recall if nothing is true, F1 if either is null. `truth` is 1 or 0.
 */
export const sweepPoint = (
  at: number,
  p: Numbers,
  truth: Numbers,
  weights: Numbers,
): SweepPoint => {
  let accepted = 0
  let acceptedWeight = 0
  let positives = 0
  let rightly = 0
  let all = 0
  for (let i = 0; i < p.length; i++) {
    const weight = weights[i] as number
    const positive = (truth[i] as number) * weight
    all += weight
    positives += positive
    if ((p[i] as number) < at) continue
    accepted++
    acceptedWeight += weight
    rightly += positive
  }
  const precision = divideOrNull(rightly, acceptedWeight)
  const recall = divideOrNull(rightly, positives)
  return {
    at,
    precision,
    recall,
    f1: precision === null || recall === null ? null : (2 * rightly) / (acceptedWeight + positives),
    accuracy: (all - acceptedWeight - positives + 2 * rightly) / all,
    accepted,
  }
}

/** The figures of the thresholds 0, 0.05, … 1. */
export const sweep = (p: Numbers, truth: Numbers, weights: Numbers): ReadonlyArray<SweepPoint> =>
  Array.from({ length: 21 }, (_, i) => sweepPoint(i / 20, p, truth, weights))

/** The rows at or above a value of a scale. */
export interface Accepted {
  readonly at: number
  /** The number of rows, their weight, and the weight of those that are right. */
  readonly rows: number
  readonly weight: number
  readonly right: number
  /** Σ w² of the rows, for Kish's effective size. */
  readonly squares: number
  /** Which rows these are. */
  readonly places: Uint32Array
}

/**
 * Computes the accepted rows at `parts` values of a scale, the strictest first. Each value is the one that reaches
 * the next of `parts` equal parts of the whole weight. Rows with the same value are accepted together, and values
 * that accept the same rows are listed once. `right` is 1 or 0.
 */
export const listAccepted = (
  parts: number,
  scale: Numbers,
  right: Numbers,
  weights: Numbers,
): ReadonlyArray<Accepted> => {
  const places = sortDescending(scale)
  const n = places.length
  const all = sum(weights)
  const list: Accepted[] = []
  let rows = 0
  let weight = 0
  let rightly = 0
  let squares = 0
  for (let part = 1; part <= parts && rows < n; part++) {
    const goal = (part / parts) * all * (1 - 1e-12)
    if (weight >= goal) continue
    let at = Number.NaN
    for (; rows < n; rows++) {
      const place = places[rows] as number
      if (weight >= goal && scale[place] !== at) break
      at = scale[place] as number
      const w = weights[place] as number
      weight += w
      squares += w * w
      rightly += w * (right[place] as number)
    }
    list.push({ at, rows, weight, right: rightly, squares, places: places.subarray(0, rows) })
  }
  return list
}

/**
 * For the rows whose probability is at least `at`: their share of all rows, and the share of them that is
 * wrong.
 */
export type RiskPoint = {
  readonly at: number
  readonly coverage: number
  readonly risk: number
}

/**
 * The risk at each coverage, the strictest threshold first, in at most 100 points; the last has coverage 1.
 * Geifman and El-Yaniv (2017).
 */
export const riskCoverage = (
  scale: Numbers,
  right: Numbers,
  weights: Numbers,
): ReadonlyArray<RiskPoint> => {
  const all = sum(weights)
  return listAccepted(100, scale, right, weights).map(({ at, rows, weight, right: rightly }) => ({
    at,
    coverage: rows === scale.length ? 1 : weight / all,
    risk: 1 - rightly / weight,
  }))
}
