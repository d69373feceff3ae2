import { divideOrNull } from './classification'
import { type Numbers, sortDescending, sum } from './numbers'

/**
 * The figures of a threshold on P(yes), the probability of a yes. `at` is the threshold, and `accepted` is the number of rows at or
 * above it. Members have the names of the document of `svc eval`.
 */
export type SweepPoint = {
  readonly at: number
  readonly precision: number | null
  readonly recall: number | null
  readonly f1: number | null
  readonly accuracy: number
  readonly accepted: number
}

/**
 * Computes precision, recall, F1 and accuracy if rows with P(yes) >= `threshold` count as yes. `truth` is 1 for a yes, else 0.
 * Precision is null if no row counts as yes, recall if no row has the truth 1, and F1 if either is null.
 */
export const measureThreshold = (
  threshold: number,
  p: Numbers,
  truth: Numbers,
  weights: Numbers,
): SweepPoint => {
  let accepted = 0
  let acceptedWeight = 0
  let positiveWeight = 0
  let truePositiveWeight = 0
  let totalWeight = 0
  for (let i = 0; i < p.length; i++) {
    const weight = weights[i] as number
    // The weight of a row that is a yes, else 0.
    const yesWeight = (truth[i] as number) * weight
    totalWeight += weight
    positiveWeight += yesWeight
    if ((p[i] as number) < threshold) continue
    accepted++
    acceptedWeight += weight
    truePositiveWeight += yesWeight
  }
  const precision = divideOrNull(truePositiveWeight, acceptedWeight)
  const recall = divideOrNull(truePositiveWeight, positiveWeight)
  // False positives and false negatives.
  const wrongWeight = acceptedWeight + positiveWeight - 2 * truePositiveWeight
  const isF1Undefined = precision === null || recall === null
  return {
    at: threshold,
    precision,
    recall,
    f1: isF1Undefined ? null : (2 * truePositiveWeight) / (acceptedWeight + positiveWeight),
    accuracy: (totalWeight - wrongWeight) / totalWeight,
    accepted,
  }
}

/** Computes the figures of the thresholds 0, 0.05, … 1. */
export const sweepThresholds = (
  p: Numbers,
  truth: Numbers,
  weights: Numbers,
): ReadonlyArray<SweepPoint> =>
  Array.from({ length: 21 }, (_, i) => measureThreshold(i / 20, p, truth, weights))

/** The rows that a threshold accepts: those whose value on the scale is at least the threshold. */
export interface AcceptedRows {
  readonly threshold: number
  readonly rowCount: number
  readonly weight: number
  readonly hitWeight: number
  /** Σ w² of the rows, for Kish's effective size. */
  readonly sumOfSquaredWeights: number
  /** The indexes of the rows, in descending order of their values. */
  readonly indexes: Uint32Array
}

/**
 * Lists the rows that each of up to `maxThresholds` thresholds accepts, the highest threshold first. `scale` has the value of each row
 * that is compared with thresholds. The k-th threshold is the highest value that accepts at least k / `maxThresholds` of the mass of
 * all rows, which is their weight by default. The last threshold accepts all rows. Thresholds that accept the same rows are listed
 * once. `hits` has 1 for each row that is a hit, such as a right decision or a yes, else 0.
 */
export const listAcceptedRows = (
  maxThresholds: number,
  scale: Numbers,
  hits: Numbers,
  weights: Numbers,
  masses: Numbers = weights,
): ReadonlyArray<AcceptedRows> => {
  const indexes = sortDescending(scale)
  const totalMass = sum(masses)
  const acceptedRows: AcceptedRows[] = []
  let rowCount = 0
  let mass = 0
  let weight = 0
  let hitWeight = 0
  let sumOfSquaredWeights = 0
  for (let k = 1; k <= maxThresholds && rowCount < indexes.length; k++) {
    // The factor allows for rounding errors of the sums. Rows without mass have no part in them, but the last threshold accepts them.
    const minMass =
      k === maxThresholds ? Number.POSITIVE_INFINITY : (k / maxThresholds) * totalMass * (1 - 1e-12)
    if (mass >= minMass) continue
    // NaN differs from every value, so the first of the further rows is not tied with it.
    let threshold = Number.NaN
    // Accepts further rows until their mass is enough. Rows with equal values are accepted together.
    for (; rowCount < indexes.length; rowCount++) {
      const index = indexes[rowCount] as number
      const isTied = scale[index] === threshold
      if (mass >= minMass && !isTied) break
      threshold = scale[index] as number
      const rowWeight = weights[index] as number
      mass += masses[index] as number
      weight += rowWeight
      sumOfSquaredWeights += rowWeight * rowWeight
      hitWeight += rowWeight * (hits[index] as number)
    }
    const sums = { weight, hitWeight, sumOfSquaredWeights }
    acceptedRows.push({ threshold, rowCount, ...sums, indexes: indexes.subarray(0, rowCount) })
  }
  return acceptedRows
}

/**
 * A threshold, with the share of rows that it accepts (coverage) and the share of those that is wrong (risk). Members have the
 * names of the document of `svc eval`.
 */
export type RiskPoint = {
  readonly at: number
  readonly coverage: number
  readonly risk: number
}

/**
 * Computes the risk–coverage curve of rows that are right (1) or wrong (0). It has at most 100 points, the highest threshold
 * first. The last point has coverage 1. Geifman and El-Yaniv (2017).
 */
export const riskCoverage = (
  scale: Numbers,
  right: Numbers,
  weights: Numbers,
): ReadonlyArray<RiskPoint> => {
  const totalWeight = sum(weights)
  return listAcceptedRows(100, scale, right, weights).map((accepted) => ({
    at: accepted.threshold,
    coverage: accepted.rowCount === scale.length ? 1 : accepted.weight / totalWeight,
    risk: 1 - accepted.hitWeight / accepted.weight,
  }))
}
