/**
 * Measures how often the 95 % intervals of `svc share` contain the true share, with drawn runs. A share is the fraction of a run's
 * rows whose true label is a given one: here 1, and the other label is 0.
 */
import { estimateShare, type ShareData } from '../../lib/measure/statistics/share'
import { createRandom, type Random } from '../../lib/runtime/random'

/** A kind of run whose interval is measured. */
interface RunKind {
  readonly rowCount: number
  /** The number of rows whose true label is known. */
  readonly labelCount: number
  /** The probability that the true label of a row is 1. */
  readonly labelProbability: number
  /** `good` answers are close to the true label. `useless` answers are independent of the true label. */
  readonly quality: 'good' | 'useless'
}

const listRunKinds = (): ReadonlyArray<RunKind> => {
  const kinds: RunKind[] = []
  for (const rowCount of [500, 5000])
    for (const labelCount of [50, 200])
      for (const labelProbability of [0.05, 0.3])
        for (const quality of ['good', 'useless'] as const)
          kinds.push({ rowCount, labelCount, labelProbability, quality })
  return kinds
}

/**
 * The minimum coverage: the fraction of the 95 % intervals that contain the true share. It is two standard errors below 0.95. With
 * 2,000 draws, the standard error is sqrt(0.95 * 0.05 / 2000) = 0.005.
 */
const minCoverage = 0.94

/** Draws the answer to a row. */
const drawAnswer = (truth: number, quality: RunKind['quality'], random: Random): number => {
  if (quality === 'useless') return random.nextFloat()
  // Half of the errors are below 0.5 ** 8 = 0.004.
  const error = random.nextFloat() ** 8
  return truth === 1 ? 1 - error : error
}

/** Draws a run. Returns its data and the true share: the fraction of its rows whose true label is 1. */
const drawRun = (kind: RunKind, random: Random): { data: ShareData; trueShare: number } => {
  const { rowCount, labelCount, labelProbability, quality } = kind
  const truths = Array.from({ length: rowCount }, () =>
    Number(random.nextFloat() < labelProbability),
  )
  const answers = truths.map((truth) => drawAnswer(truth, quality, random))
  // All rows are drawn independently, so the first rows are a random sample.
  const labelled = truths.slice(0, labelCount).map((truth, i) => ({
    truth,
    answer: answers[i] as number,
    samplingProbability: labelCount / rowCount,
  }))
  const trueShare = truths.reduce((sum, truth) => sum + truth, 0) / rowCount
  return { data: { answers, labelled, range: [0, 1] }, trueShare }
}

/** Returns the same data with equal answers, so that the estimate can use only the labels. */
const removeAnswers = ({ answers, labelled, range }: ShareData): ShareData => ({
  answers: answers.map(() => 0),
  labelled: Array.from(labelled, (row) => ({ ...row, answer: 0 })),
  range,
})

/** Estimates the share of many runs. Returns the coverage of the intervals and their mean half widths. */
const measureIntervals = (kind: RunKind, drawCount: number, random: Random) => {
  let coveredCount = 0
  let halfWidthSum = 0
  let labelsOnlyHalfWidthSum = 0
  for (let draw = 0; draw < drawCount; draw++) {
    const { data, trueShare } = drawRun(kind, random)
    const { low, high } = estimateShare(data)
    const labelsOnly = estimateShare(removeAnswers(data))
    // The interval and the true share add the same numbers in different orders, so a bound may miss by rounding.
    const tolerance = 1e-12
    if (low <= trueShare + tolerance && trueShare <= high + tolerance) coveredCount++
    halfWidthSum += (high - low) / 2
    labelsOnlyHalfWidthSum += (labelsOnly.high - labelsOnly.low) / 2
  }
  return {
    coverage: coveredCount / drawCount,
    halfWidth: halfWidthSum / drawCount,
    labelsOnlyHalfWidth: labelsOnlyHalfWidthSum / drawCount,
  }
}

/**
 * Prints how often the 95 % interval of a share contains the true share, and how wide it is with and without the answers. Sets a failing
 * exit code if an interval contains the true share too rarely.
 */
export const reportShare = (drawCount: number): void => {
  console.log(`\nintervals of svc share (${drawCount} seeded draws)`)
  console.log('    rows  labels  share  answers   coverage  half width  labels only')
  for (const [index, kind] of listRunKinds().entries()) {
    const random = createRandom(index)
    const { coverage, halfWidth, labelsOnlyHalfWidth } = measureIntervals(kind, drawCount, random)
    const isTooRare = coverage < minCoverage
    const cells = [
      String(kind.rowCount).padStart(8),
      String(kind.labelCount).padStart(7),
      kind.labelProbability.toFixed(2).padStart(6),
      ` ${kind.quality.padEnd(8)}`,
      `${(coverage * 100).toFixed(1)} %`.padStart(9),
      halfWidth.toFixed(4).padStart(11),
      labelsOnlyHalfWidth.toFixed(4).padStart(12),
    ]
    console.log(`${cells.join(' ')}${isTooRare ? '  too rare' : ''}`)
    if (isTooRare) process.exitCode = 1
  }
}
