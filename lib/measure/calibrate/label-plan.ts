import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../text/table'
import { plainLayout, type TextLayout } from '../../text/terminal'
import { formatShare, roundNumbers } from '../format-figures'
import { incompleteBeta } from '../statistics/beta'
import {
  candidateCount,
  computeMinRowsForProof,
  computeMinTestedRows,
  isProven,
  roundingTolerance,
} from '../statistics/cut-evidence'
import { wilsonInterval } from '../statistics/intervals'
import type { ParsedTarget } from './targets'

/** The accuracies of accepted answers for which the plan counts labels. */
const assumedAccuracies = [1, 0.98, 0.95]

/** The accuracy whose 95 % interval is shown. */
const typicalAccuracy = 0.9

/** The numbers of labels for which the interval is shown. */
const labelCounts = [50, 100, 200, 500, 1000]

/** The maximum number of labelled rows of a plan. */
const maxRows = 5000

/**
 * Plans how many rows to label. `minRowsForProof` is the minimum number of rows that can prove a target; a coverage needs no proof.
 * `requiredRows` is empty for coverage and recall, whose number of labels does not depend on the accuracy of accepted answers.
 */
export const planLabels = (targets: ReadonlyArray<ParsedTarget>, confidence: number) => ({
  confidence,
  targets: targets.map(({ text, figure, value }) => ({
    text,
    minRowsForProof: figure === 'coverage' ? undefined : computeMinRowsForProof(value, confidence),
    requiredRows:
      figure === 'coverage' || figure === 'recall'
        ? []
        : assumedAccuracies.map((right) => countRequiredRows(right, value, confidence)),
  })),
  intervals: labelCounts.map((labelCount) => ({
    labelCount,
    ...wilsonInterval(typicalAccuracy, labelCount),
  })),
})

/**
 * The minimum number of labelled rows with which a cut is found in random samples, for accepted answers of a given accuracy. The
 * members have the names of the document.
 */
type RequiredRows = {
  /** The accuracy of accepted answers. */
  readonly right: number
  /** The number of rows with which a cut is found in half of the samples; null above `maxRows`. */
  readonly half: number | null
  /** The number of rows with which a cut is found in 90 % of the samples; null above `maxRows`. */
  readonly most: number | null
}

/**
 * Counts the labelled rows that a cut takes if the share `right` of accepted answers is right. The probability of a cut does not
 * grow steadily with the number of rows. The search therefore begins at `maxRows` and goes down: every number from the result to
 * `maxRows` is enough.
 */
const countRequiredRows = (right: number, target: number, confidence: number): RequiredRows => {
  const minRowsForProof = computeMinRowsForProof(target, confidence)
  let half: number | null = null
  let most: number | null = null
  let isEnoughForMost = true
  for (let rows = maxRows; rows >= minRowsForProof; rows--) {
    const testedRows = computeFirstTestedRows(rows, minRowsForProof)
    const probability = computeCutProbability(testedRows, right, target, confidence)
    if (probability < 0.5) break
    half = rows
    isEnoughForMost &&= probability >= 0.9
    if (isEnoughForMost) most = rows
  }
  return { right, half, most }
}

/**
 * Computes the probability of a cut: that enough of `rows` answers are right to prove the target. They are the answers that the first
 * tested threshold accepts. If it fails, no other is tested.
 */
const computeCutProbability = (
  rows: number,
  right: number,
  target: number,
  confidence: number,
): number => {
  if (right <= target) return 0
  const minRight = findMinRight(rows, target, confidence)
  // The binomial probability P(X ≥ k) of n trials is I_p(k, n − k + 1).
  return minRight > rows ? 0 : incompleteBeta(right, minRight, rows - minRight + 1)
}

/** Computes the number of rows that the first tested threshold accepts, if all of `rows` rows have different probabilities. */
const computeFirstTestedRows = (rows: number, minRowsForProof: number): number => {
  const minTestedRows = computeMinTestedRows(minRowsForProof, rows)
  for (let part = 1; part < candidateCount; part++) {
    const size = Math.ceil((part * rows) / candidateCount - roundingTolerance)
    if (size >= minTestedRows) return size
  }
  return rows
}

/** Returns the minimum number of right rows, out of `rows`, that proves the target; `rows + 1` if no number does. */
const findMinRight = (rows: number, target: number, confidence: number): number => {
  let low = 0
  let high = rows + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isProven(middle, rows, target, confidence)) high = middle
    else low = middle
  }
  return high
}

type LabelPlan = ReturnType<typeof planLabels>

/** Encodes the document of `svc calibrate --plan`. */
export const encodeLabelPlan = ({ confidence, targets, intervals }: LabelPlan): Draft =>
  roundNumbers({
    confidence,
    targets: targets.map(({ text, minRowsForProof, requiredRows }) => ({
      target: text,
      needs: minRowsForProof,
      labels: requiredRows.length === 0 ? undefined : requiredRows,
    })),
    accuracy_intervals: intervals.map(({ labelCount, low, high }) => ({
      labels: labelCount,
      accuracy: typicalAccuracy,
      low,
      high,
    })),
  })

/** Formats the plan as tables. */
export const tabulateLabelPlan = (
  { targets, intervals }: LabelPlan,
  layout: TextLayout = plainLayout,
): string => {
  const formatRows = (value: number | null): string =>
    value === null ? `over ${maxRows}` : String(value)
  const cutRows = targets.flatMap(({ text, minRowsForProof, requiredRows }) => {
    const positivesCell =
      minRowsForProof === undefined ? 'none' : `${minRowsForProof} that are a yes`
    if (requiredRows.length === 0) return [[text, '', positivesCell, '']]
    return requiredRows.map(({ right, half, most }, i) => [
      i === 0 ? text : '',
      `${right * 100} %`,
      formatRows(half),
      formatRows(most),
    ])
  })
  return [
    'How many labelled rows it takes to find a cut, by the share of accepted answers that are right, if every labelled row is accepted:',
    alignTable(1, ['target', 'right', 'in half of draws', 'in 90 %'], cutRows, layout),
    `The 95 % interval of an accuracy of ${formatShare(typicalAccuracy)}:`,
    alignTable(
      0,
      ['labels', '95 % from', 'to'],
      intervals.map(({ labelCount, low, high }) => [
        String(labelCount),
        formatShare(low),
        formatShare(high),
      ]),
      layout,
    ),
  ].join('\n\n')
}
