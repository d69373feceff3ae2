import { z95 } from './intervals'

/** The share of a label among all rows of a run (or the mean of a score), with a 95 % interval. */
export type ShareEstimate = {
  readonly estimate: number
  readonly low: number
  readonly high: number
  /**
   * The part of an answer's difference from the mean that its label repeats: 1 for calibrated answers, 0 for useless
   * ones.
   */
  readonly slope: number
}

/** A row that a person labelled. */
export interface LabelledRow {
  /** The answer: the probability of the label in question, or the score. */
  readonly answer: number
  /** 1 if the row has the label in question, else 0; or the level that the person chose. */
  readonly truth: number
  /** The chance with which the row was drawn, above 0 and at most 1. */
  readonly chance: number
}

/** All that a share is computed from. */
export interface ShareData {
  /** The answers of all rows of the run that have one, the labelled rows included. */
  readonly answers: ReadonlyArray<number>
  readonly labelled: ReadonlyArray<LabelledRow>
  /** The ends of the scale of labels: 0 and 1 for a share, 0 and the highest level for a mean. */
  readonly ends: readonly [low: number, high: number]
}

interface WeightedRow extends LabelledRow {
  readonly weight: number
}

/** The weighted means of answers and labels. */
interface Means {
  readonly weight: number
  readonly answer: number
  readonly truth: number
}

const addUp = <A>(rows: ReadonlyArray<A>, value: (row: A) => number): number =>
  rows.reduce((total, row) => total + value(row), 0)

const weighMeans = (rows: ReadonlyArray<WeightedRow>): Means => {
  const weight = addUp(rows, (row) => row.weight)
  return {
    weight,
    answer: addUp(rows, (row) => row.weight * row.answer) / weight,
    truth: addUp(rows, (row) => row.weight * row.truth) / weight,
  }
}

/** The smallest and the largest value. (`Math.min(...values)` overflows the stack above about 100,000 values.) */
export const findRange = (values: ReadonlyArray<number>): readonly [number, number] => {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return [low, high]
}

/**
 * Creates the four rows that Agresti and Coull would add to a share, placed at the corners of the observed rows. They
 * make the interval hold with few labels, and with labels that are all the same.
 */
const makeAddedRows = (data: ShareData, sampled: number, open: number): WeightedRow[] => {
  const seen = findRange(data.labelled.map(({ truth }) => truth))
  const truths = seen[0] === seen[1] ? data.ends : seen
  return findRange(data.answers).flatMap((answer) =>
    truths.map((truth) => ({ answer, truth, chance: sampled / open, weight: open / sampled })),
  )
}

/** Computes the variance that a row adds: 0 if it was certain to be drawn. */
const varianceOf = ({ weight, chance }: WeightedRow): number => weight * weight * (1 - chance)

const areAlike = (values: ReadonlyArray<number>): boolean =>
  values.every((value) => value === values[0])

/** Fits the slope of labels on answers. It is 0 if the labels or the answers of the sampled rows are all alike. */
const fitSlope = (
  sampled: ReadonlyArray<LabelledRow>,
  rows: ReadonlyArray<WeightedRow>,
  means: Means,
): number => {
  if (areAlike(sampled.map(({ truth }) => truth))) return 0
  if (areAlike(sampled.map(({ answer }) => answer))) return 0
  const shared = addUp(
    rows,
    (row) => varianceOf(row) * (row.answer - means.answer) * (row.truth - means.truth),
  )
  const spread = addUp(rows, (row) => varianceOf(row) * (row.answer - means.answer) ** 2)
  return spread === 0 ? 0 : shared / spread
}

const fitHalfWidth = (rows: ReadonlyArray<WeightedRow>, means: Means, slope: number): number => {
  const residuals = addUp(
    rows,
    (row) => varianceOf(row) * (row.truth - means.truth - slope * (row.answer - means.answer)) ** 2,
  )
  return (z95 * Math.sqrt(residuals)) / means.weight
}

/** Estimates of the mean label of the rows that were not certain to be drawn. */
const estimateOpenRows = (
  data: ShareData,
  sampled: ReadonlyArray<LabelledRow>,
  open: number,
  meanAnswer: number,
): ShareEstimate => {
  const inverse = addUp(sampled, ({ chance }) => 1 / chance)
  const rows = sampled.map((row) => ({ ...row, weight: open / row.chance / inverse }))
  const extended = [...rows, ...makeAddedRows(data, rows.length, open)]
  const [means, wider] = [weighMeans(rows), weighMeans(extended)]
  const slope = fitSlope(sampled, extended, wider)
  const estimate = means.truth + slope * (meanAnswer - means.answer)
  const shrunk = wider.truth + slope * (meanAnswer - wider.answer)
  const centre = estimate + (1 - rows.length / open) * (shrunk - estimate)
  const half = fitHalfWidth(extended, wider, slope)
  return { estimate, low: centre - half, high: centre + half, slope }
}

/**
 * Estimates a share of all rows from every answer and the labels of some rows. Labelled rows that were certain to be
 * drawn count with their labels. The mean label of the remaining rows is estimated by regression on the answers
 * (Särndal, Swensson and Wretman 1992, 6.4; with labels and predictions: PPI++, Angelopoulos, Duchi and Zrnic 2023),
 * with four rows added for the interval (Agresti and Coull 1998). If every row is labelled, the share is exact.
 *
 * Needs at least one labelled row whose chance is below 1, unless every row is labelled.
 */
export const estimateShare = (data: ShareData): ShareEstimate => {
  const { answers, labelled, ends } = data
  const certain = labelled.filter(({ chance }) => chance === 1)
  const sampled = labelled.filter(({ chance }) => chance !== 1)
  const rows = answers.length
  const open = rows - certain.length
  const known = addUp(certain, ({ truth }) => truth)
  if (open === 0) return { estimate: known / rows, low: known / rows, high: known / rows, slope: 0 }
  const openAnswers = addUp(answers, (answer) => answer) - addUp(certain, ({ answer }) => answer)
  const estimated = estimateOpenRows(data, sampled, open, openAnswers / open)
  const allKnown = addUp(labelled, ({ truth }) => truth)
  const [lowest, highest] = ends.map(
    (end) => (allKnown + (rows - labelled.length) * end) / rows,
  ) as [number, number]
  const limit = (mean: number): number =>
    Math.min(highest, Math.max(lowest, (known + open * mean) / rows))
  return {
    estimate: limit(estimated.estimate),
    low: limit(estimated.low),
    high: limit(estimated.high),
    slope: estimated.slope,
  }
}

/**
 * Measures how far labels are from the line that fits them best: the weighted mean of squared residuals. `undefined`
 * without labelled rows.
 */
export const measureResidual = (labelled: ReadonlyArray<LabelledRow>): number | undefined => {
  if (labelled.length === 0) return undefined
  const rows = labelled.map((row) => ({ ...row, weight: 1 / row.chance }))
  const means = weighMeans(rows)
  const shared = addUp(
    rows,
    (row) => row.weight * (row.answer - means.answer) * (row.truth - means.truth),
  )
  const spread = addUp(rows, (row) => row.weight * (row.answer - means.answer) ** 2)
  const slope = spread === 0 ? 0 : shared / spread
  const residuals = addUp(
    rows,
    (row) => row.weight * (row.truth - means.truth - slope * (row.answer - means.answer)) ** 2,
  )
  return residuals / means.weight
}
