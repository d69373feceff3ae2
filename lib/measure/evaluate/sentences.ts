import { formatCount } from '../../failure/text/table'
import { createCutSample } from '../calibrate/calibrate'
import { describePassingShares } from '../calibrate/target-advice'
import { formatWholePercent } from '../format-figures'
import { explainMissingDistributions, type LabelledRows } from '../rows/labelled-run'
import type { QuestionFigures } from './figures'
import { describeRepeats } from './repeat-labels'

/**
 * Describes in sentences the accuracy of a question's answers, the accuracy of always giving the commonest answer, and how often
 * people repeated their label.
 */
export const describeInWords = (rows: LabelledRows, figures: QuestionFigures): string =>
  rows.truth.length === 0
    ? 'No row has a label.'
    : [describeRight(rows, figures), describeBaseline(figures), describeRepeats(rows)]
        .filter((sentence) => sentence !== '')
        .join(' ')

/** The target for `createCutSample`, which uses only its figure. `describePassingShares` tries several values. */
const accuracyTarget = { figure: 'accuracy', value: 0.95 } as const

/** Describes for several accuracies the share of rows that can pass without a person. Empty if no row has a label. */
export const describePassingRows = (rows: LabelledRows): ReadonlyArray<string> => {
  if (rows.truth.length === 0) return []
  return explainMissingDistributions(rows) === undefined
    ? describePassingShares(createCutSample(rows, accuracyTarget, rows.probabilities))
    : ['without probabilities svc cannot tell which answers are sure']
}

const describeRight = (
  rows: LabelledRows,
  { figures, intervals, labelledRows }: QuestionFigures,
): string => {
  const name = rows.type === 'score' ? 'exact' : 'accuracy'
  const share = figures[name] ?? null
  if (share === null)
    return `${formatCount(labelledRows, 'row', 'has', 'have')} labels, but without probabilities svc cannot tell which level an answer decides for.`
  let right = 0
  for (let i = 0; i < rows.right.length; i++) right += rows.right[i] as number
  const interval = intervals[name]
  const range =
    interval === undefined
      ? 'too few rows for an interval'
      : `surely ${formatWholePercent(interval.low)} to ${formatWholePercent(interval.high)}`
  const counts = `Right in ${right} of ${formatCount(labelledRows, 'row')}`
  const percent = formatWholePercent(share)
  const isWeighted = Math.abs(right / labelledRows - share) > 1e-9
  return isWeighted
    ? `${counts} of the sample, ${percent} of the whole run (${range}).`
    : `${counts} (${percent}, ${range}).`
}

const describeBaseline = ({ baseline: { label, accuracy } }: QuestionFigures): string =>
  label === null || accuracy === null
    ? ''
    : `Always answering "${label}" would be right in ${formatWholePercent(accuracy)}.`
