import type { Draft } from '../../codec/json/draft'
import { alignTable } from '../../failure/text/table'
import { roundNumbers } from '../format-figures'
import { incompleteBeta } from '../statistics/beta'
import { candidates, isShown, minTested, rowsNeeded } from '../statistics/cuts'
import { wilson } from '../statistics/intervals'
import type { GivenTarget } from './targets'

/** The shares of accepted answers that are right, for which labels are counted. */
const shares = [1, 0.98, 0.95]

/** The accuracy whose interval is shown, and for how many labels. */
const typicalAccuracy = 0.9
const labelCounts = [50, 100, 200, 500, 1000]

/** Plans stop at this number of labelled rows. */
const maxRows = 5000

/**
 * Plans how many rows to label. `needs` is the fewest rows that can prove the target, which coverage does not have.
 * `labels` is empty if they do not depend on how many accepted answers are right.
 */
export const planLabels = (targets: ReadonlyArray<GivenTarget>, confidence: number) => ({
  confidence,
  targets: targets.map(({ text, figure, value }) => ({
    text,
    needs: figure === 'coverage' ? undefined : rowsNeeded(value, confidence),
    labels: figure === 'coverage' || figure === 'recall' ? [] : countLabels(value, confidence),
  })),
  intervals: labelCounts.map((labels) => ({ labels, ...wilson(typicalAccuracy, labels) })),
})

/**
 * The number of labelled rows from which on a cut is found in half and in nine tenths of draws; null if 5,000 are too
 * few. A cut is found if the first candidate that is tested passes. How likely that is follows from the binomial
 * distribution of its right rows.
 */
const countLabels = (target: number, confidence: number) => {
  const counts = shares.map((right) => ({ right, half: null, most: null }) as LabelCount)
  const needs = rowsNeeded(target, confidence)
  const open = { half: new Set(counts), most: new Set(counts) }
  for (let rows = maxRows; rows >= needs && open.half.size > 0; rows--) {
    const tested = sizeOfFirstTest(rows, needs)
    const passing = minRight(tested, target, confidence)
    for (const count of open.half) {
      const found = count.right <= target ? 0 : chanceOfAtLeast(passing, tested, count.right)
      if (found >= 0.5) count.half = rows
      else open.half.delete(count)
      if (found >= 0.9 && open.most.has(count)) count.most = rows
      else open.most.delete(count)
    }
  }
  return counts
}

interface LabelCount {
  readonly right: number
  half: number | null
  most: number | null
}

/** The size of the first candidate that is tested, of `rows` rows that all differ in their scale. */
const sizeOfFirstTest = (rows: number, needs: number): number => {
  const min = minTested(needs, rows)
  for (let part = 1; part < candidates; part++) {
    const size = Math.ceil((part * rows) / candidates - 1e-9)
    if (size >= min) return size
  }
  return rows
}

/** Finds the minimum number of right rows, out of `rows`, that proves the target; more than `rows` if none does. */
const minRight = (rows: number, target: number, confidence: number): number => {
  let low = 0
  let high = rows + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isShown(middle, rows, target, confidence)) high = middle
    else low = middle
  }
  return high
}

/** The chance of at least `count` successes in `n` trials of chance `p`. */
const chanceOfAtLeast = (count: number, n: number, p: number): number =>
  count > n ? 0 : incompleteBeta(p, count, n - count + 1)

type Plan = ReturnType<typeof planLabels>

/** Writes the document of `svc calibrate --plan`. */
export const encodeLabelPlan = ({ confidence, targets, intervals }: Plan): Draft =>
  roundNumbers({
    confidence,
    targets: targets.map(({ text, needs, labels }) => ({
      target: text,
      needs,
      labels: labels.length === 0 ? undefined : labels.map((one) => ({ ...one })),
    })),
    accuracy_intervals: intervals.map(({ labels, low, high }) => ({
      labels,
      accuracy: typicalAccuracy,
      low,
      high,
    })),
  })

/** Writes the plan for people. */
export const tabulateLabelPlan = ({ targets, intervals }: Plan): string => {
  const number = (value: number | null): string =>
    value === null ? `over ${maxRows}` : String(value)
  const cuts = targets.flatMap(({ text, needs, labels }) =>
    labels.length === 0
      ? [[text, '', needs === undefined ? 'none' : `${needs} that are a yes`, '']]
      : labels.map(({ right, half, most }, i) => [
          i === 0 ? text : '',
          `${right * 100} %`,
          number(half),
          number(most),
        ]),
  )
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  return [
    'Labelled rows that find a cut, by how many of the accepted answers are right:',
    alignTable(1, ['target', 'right', 'in half of draws', 'in 90 %'], cuts),
    `How exact an accuracy of ${percent(typicalAccuracy)} is:`,
    alignTable(
      0,
      ['labels', '95 % from', 'to'],
      intervals.map(({ labels, low, high }) => [String(labels), percent(low), percent(high)]),
    ),
  ].join('\n\n')
}
