import { z95 } from './intervals'

/** The estimated share of a label among all rows of a run, or the mean of a score, with its 95 % interval. */
export type ShareEstimate = {
  readonly estimate: number
  readonly low: number
  readonly high: number
  /**
   * The slope of labels on answers: about 1 for calibrated answers, about 0 for useless ones. Exactly 0 if no row was drawn by chance,
   * or if the rows that were drawn by chance have equal answers or equal labels.
   */
  readonly slope: number
}

/** The label that a person gave to a row, with the answer to the row. */
interface SampledLabel {
  /** The answer: the probability of the label, or the score. */
  readonly answer: number
  /** 1 if the person gave this label, else 0; for a mean, the level that the person gave. */
  readonly truth: number
  /** The probability with which the row was drawn for labelling, above 0 and at most 1. */
  readonly samplingProbability: number
}

/** The data that a share is estimated from. */
export interface ShareData {
  readonly answers: ReadonlyArray<number>
  readonly labelled: Iterable<SampledLabel>
  /** The range of `truth`: 0 and 1 for a share, 0 and the highest level for a mean. */
  readonly range: readonly [low: number, high: number]
}

/**
 * Estimates a share of all rows from the answers to all rows and the labels of some. Labelled rows that were certain to be
 * drawn count with their labels. The mean label of the remaining rows is estimated by regression on the answers (Särndal,
 * Swensson and Wretman 1992, 6.4; for labels and predictions: PPI++, Angelopoulos, Duchi and Zrnic 2023). Four added rows
 * widen the interval (Agresti and Coull 1998). If every row is labelled, the share is exact.
 *
 * Needs at least one labelled row whose sampling probability is below 1, unless every row is labelled.
 */
export const estimateShare = (data: ShareData): ShareEstimate => {
  const { answers, labelled, range } = data
  const drawnByChance: SampledLabel[] = []
  let certainCount = 0
  let certainTruth = 0
  let certainAnswer = 0
  for (const label of labelled) {
    if (label.samplingProbability !== 1) {
      drawnByChance.push(label)
      continue
    }
    certainCount++
    certainTruth += label.truth
    certainAnswer += label.answer
  }
  const rowCount = answers.length
  const remainingCount = rowCount - certainCount
  if (remainingCount === 0) {
    const share = certainTruth / rowCount
    return { estimate: share, low: share, high: share, slope: 0 }
  }
  const meanAnswer = (sumBy(answers, (answer) => answer) - certainAnswer) / remainingCount
  const remaining = estimateRemainingRows(data, drawnByChance, remainingCount, meanAnswer)
  const labelledTruth = certainTruth + sumBy(drawnByChance, ({ truth }) => truth)
  const unlabelledCount = remainingCount - drawnByChance.length
  const [lowTruth, highTruth] = range
  const min = (labelledTruth + unlabelledCount * lowTruth) / rowCount
  const max = (labelledTruth + unlabelledCount * highTruth) / rowCount
  /** Converts a mean of the remaining rows to a share of all rows, within the range that the labels leave possible. */
  const toShareOfAll = (mean: number): number =>
    Math.min(max, Math.max(min, (certainTruth + remainingCount * mean) / rowCount))
  return {
    estimate: toShareOfAll(remaining.estimate),
    low: toShareOfAll(remaining.low),
    high: toShareOfAll(remaining.high),
    slope: remaining.slope,
  }
}

/** A label with the number of rows that it represents. */
interface WeightedLabel extends SampledLabel {
  readonly weight: number
}

const sumBy = <A>(rows: ReadonlyArray<A>, select: (row: A) => number): number =>
  rows.reduce((total, row) => total + select(row), 0)

/** The total weight of rows, and the weighted means of their answers and labels. */
interface WeightedMeans {
  readonly weight: number
  readonly answer: number
  readonly truth: number
}

const computeMeans = (rows: ReadonlyArray<WeightedLabel>): WeightedMeans => {
  const weight = sumBy(rows, (row) => row.weight)
  return {
    weight,
    answer: sumBy(rows, (row) => row.weight * row.answer) / weight,
    truth: sumBy(rows, (row) => row.weight * row.truth) / weight,
  }
}

/** Finds the smallest and the largest value. `Math.min(...values)` overflows the stack above about 100,000 values. */
export const findRange = (values: ReadonlyArray<number>): readonly [low: number, high: number] => {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return [low, high]
}

/**
 * Creates four rows to add to those that were drawn by chance: one for each pair of an extreme answer of the run and an end of the range
 * of labels. `drawnCount` rows were drawn out of `remainingCount`. The added rows make the interval valid for few labels and for equal
 * labels. Agresti and Coull (1998) add such rows for a share. With the extreme labels that were seen in place of the ends, a mean whose
 * highest level is rare is in the interval in 68 to 89 % of simulated samples.
 */
const createAddedRows = (
  { answers, range }: ShareData,
  drawnCount: number,
  remainingCount: number,
): ReadonlyArray<WeightedLabel> => {
  const samplingProbability = drawnCount / remainingCount
  return findRange(answers).flatMap((answer) =>
    range.map((truth) => ({
      answer,
      truth,
      samplingProbability,
      weight: 1 / samplingProbability,
    })),
  )
}

/** Returns the factor of a row in the sampling variance: 0 for a row that was certain to be drawn. */
const varianceFactorOf = ({ weight, samplingProbability }: WeightedLabel): number =>
  weight * weight * (1 - samplingProbability)

/** Fits the slope of labels on answers. `factorOf` returns the factor of a row in the sums of squares. 0 if all answers are equal. */
const fitSlope = (
  rows: ReadonlyArray<WeightedLabel>,
  means: WeightedMeans,
  factorOf: (row: WeightedLabel) => number,
): number => {
  const covariance = sumBy(
    rows,
    (row) => factorOf(row) * (row.answer - means.answer) * (row.truth - means.truth),
  )
  const variance = sumBy(rows, (row) => factorOf(row) * (row.answer - means.answer) ** 2)
  return variance === 0 ? 0 : covariance / variance
}

/** Adds up the squared distances of labels from the line with this slope through the means, each with its factor. */
const sumSquaredResiduals = (
  rows: ReadonlyArray<WeightedLabel>,
  means: WeightedMeans,
  slope: number,
  factorOf: (row: WeightedLabel) => number,
): number =>
  sumBy(rows, (row) => {
    const residual = row.truth - means.truth - slope * (row.answer - means.answer)
    return factorOf(row) * residual ** 2
  })

const areAllEqual = (values: ReadonlyArray<number>): boolean =>
  values.every((value) => value === values[0])

/**
 * Estimates the mean label of the rows that were not certain to be drawn. There are `remainingCount` of them, and `meanAnswer` is
 * their mean answer. `drawnByChance` are the labelled ones among them.
 */
const estimateRemainingRows = (
  data: ShareData,
  drawnByChance: ReadonlyArray<SampledLabel>,
  remainingCount: number,
  meanAnswer: number,
): ShareEstimate => {
  const representedCount = sumBy(
    drawnByChance,
    ({ samplingProbability }) => 1 / samplingProbability,
  )
  // The weights are scaled so that their sum is the number of rows.
  const rows = drawnByChance.map((row) => ({
    ...row,
    weight: remainingCount / row.samplingProbability / representedCount,
  }))
  const rowsWithAdded = [...rows, ...createAddedRows(data, rows.length, remainingCount)]
  const means = computeMeans(rows)
  const meansWithAdded = computeMeans(rowsWithAdded)
  // The added rows differ, so equal labels or answers of the drawn rows are looked for without them.
  const isSlopeUnknown =
    areAllEqual(drawnByChance.map(({ truth }) => truth)) ||
    areAllEqual(drawnByChance.map(({ answer }) => answer))
  const slope = isSlopeUnknown ? 0 : fitSlope(rowsWithAdded, meansWithAdded, varianceFactorOf)
  const estimate = means.truth + slope * (meanAnswer - means.answer)
  const estimateWithAdded = meansWithAdded.truth + slope * (meanAnswer - meansWithAdded.answer)
  // The added rows also shift the interval. The shift is smaller, the more of the remaining rows were drawn.
  const centre = estimate + (1 - rows.length / remainingCount) * (estimateWithAdded - estimate)
  const variance = sumSquaredResiduals(rowsWithAdded, meansWithAdded, slope, varianceFactorOf)
  const halfWidth = (z95 * Math.sqrt(variance)) / meansWithAdded.weight
  return { estimate, low: centre - halfWidth, high: centre + halfWidth, slope }
}

/** Measures the weighted mean square of the distances of labels from the best line. `undefined` without labels. */
export const measureResidualVariance = (labelled: Iterable<SampledLabel>): number | undefined => {
  const rows = Array.from(labelled, (row) => ({ ...row, weight: 1 / row.samplingProbability }))
  if (rows.length === 0) return undefined
  const means = computeMeans(rows)
  const weightOfRow = ({ weight }: WeightedLabel): number => weight
  const slope = fitSlope(rows, means, weightOfRow)
  return sumSquaredResiduals(rows, means, slope, weightOfRow) / means.weight
}
