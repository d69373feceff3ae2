import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { formatWholePercent, roundNumbers } from '../format-figures'
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

/** The accuracies of accepted answers that the plan counts labels for. */
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
      figure === 'coverage' || figure === 'recall' ? [] : countRequiredRows(value, confidence),
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
interface RequiredRows {
  /** The accuracy of accepted answers. */
  readonly right: number
  /** The number of rows with which a cut is found in half of the samples; null above `maxRows`. */
  half: number | null
  /** The number of rows with which a cut is found in 90 % of the samples; null above `maxRows`. */
  most: number | null
}

/**
 * Counts the labelled rows that a cut takes. A cut is found if the first tested candidate passes. The probability of that is a tail
 * of the binomial distribution, which does not grow steadily with the number of rows. The search therefore begins at `maxRows` and
 * goes down: every number from the result to `maxRows` is enough.
 */
const countRequiredRows = (target: number, confidence: number): ReadonlyArray<RequiredRows> => {
  const required = assumedAccuracies.map(
    (right): RequiredRows => ({ right, half: null, most: null }),
  )
  const minRowsForProof = computeMinRowsForProof(target, confidence)
  // The entries of `required` for which every number of rows from `maxRows` down to the current one is enough.
  const enoughForHalf = new Set(required)
  const enoughForMost = new Set(required)
  for (let rows = maxRows; rows >= minRowsForProof && enoughForHalf.size > 0; rows--) {
    const testedRows = computeFirstTestedRows(rows, minRowsForProof)
    const minRight = findMinRight(testedRows, target, confidence)
    for (const entry of enoughForHalf) {
      const probability = entry.right <= target ? 0 : computeTail(minRight, testedRows, entry.right)
      if (probability >= 0.5) entry.half = rows
      else enoughForHalf.delete(entry)
      if (probability >= 0.9 && enoughForMost.has(entry)) entry.most = rows
      else enoughForMost.delete(entry)
    }
  }
  return required
}

/** Returns the number of rows of the first tested candidate. Assumes that all of `rows` rows have different probabilities. */
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

/** Computes the binomial probability of at least `count` successes in `n` trials with success probability `p`. */
const computeTail = (count: number, n: number, p: number): number =>
  count > n ? 0 : incompleteBeta(p, count, n - count + 1)

type LabelPlan = ReturnType<typeof planLabels>

/** Encodes the document of `svc calibrate --plan`. */
export const encodeLabelPlan = ({ confidence, targets, intervals }: LabelPlan): Draft =>
  roundNumbers({
    confidence,
    targets: targets.map(({ text, minRowsForProof, requiredRows }) => ({
      target: text,
      needs: minRowsForProof,
      labels: requiredRows.length === 0 ? undefined : requiredRows.map((rows) => ({ ...rows })),
    })),
    accuracy_intervals: intervals.map(({ labelCount, low, high }) => ({
      labels: labelCount,
      accuracy: typicalAccuracy,
      low,
      high,
    })),
  })

/** Formats the plan as tables. */
export const tabulateLabelPlan = ({ targets, intervals }: LabelPlan): string => {
  const formatRows = (value: number | null): string =>
    value === null ? `over ${maxRows}` : String(value)
  const cutRows: string[][] = []
  for (const { text, minRowsForProof, requiredRows } of targets) {
    if (requiredRows.length === 0) {
      const positives = minRowsForProof === undefined ? 'none' : `${minRowsForProof} that are a yes`
      cutRows.push([text, '', positives, ''])
    }
    for (const [i, { right, half, most }] of requiredRows.entries())
      cutRows.push([i === 0 ? text : '', `${right * 100} %`, formatRows(half), formatRows(most)])
  }
  return [
    'How many labelled rows it takes to find a cut, by the share of accepted answers that are right:',
    alignTable(1, ['target', 'right', 'in half of draws', 'in 90 %'], cutRows),
    `The 95 % interval of an accuracy of ${formatWholePercent(typicalAccuracy)}:`,
    alignTable(
      0,
      ['labels', '95 % from', 'to'],
      intervals.map(({ labelCount, low, high }) => [
        String(labelCount),
        formatWholePercent(low),
        formatWholePercent(high),
      ]),
    ),
  ].join('\n\n')
}
