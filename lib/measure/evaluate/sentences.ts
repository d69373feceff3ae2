import { formatCount } from '../../failure/text/table'
import { sampleOf } from '../calibrate/calibrate'
import { describeLadder } from '../calibrate/ladder'
import { formatWholePercent } from '../format-figures'
import { explainMissingDistributions, type LabelledRows } from '../rows/labelled-run'
import type { QuestionFigures } from './figures'
import { describeAgain } from './repeat-labels'

/**
 * Describes in plain words how right a question's answers are, how right the commonest answer would always be, and
 * how often people gave the same label again.
 */
export const describeInWords = (rows: LabelledRows, figures: QuestionFigures): string =>
  rows.truth.length === 0
    ? 'No row has a label.'
    : [describeRight(rows, figures), describeBaseline(figures), describeAgain(rows)]
        .filter((sentence) => sentence !== '')
        .join(' ')

/** The figure that a target of the ladder names. */
const accuracy = { figure: 'accuracy', value: 0.95 } as const

/** Says for several shares of right answers how many rows pass without a person today. */
export const describeSure = (rows: LabelledRows): ReadonlyArray<string> => {
  if (rows.truth.length === 0) return []
  return explainMissingDistributions(rows) === undefined
    ? describeLadder(sampleOf(rows, accuracy, rows.probabilities))
    : ['without probabilities svc cannot say which answers are sure']
}

const describeRight = (rows: LabelledRows, { figures, intervals, n }: QuestionFigures): string => {
  const name = rows.type === 'score' ? 'exact' : 'accuracy'
  const share = figures[name] ?? null
  if (share === null)
    return `${formatCount(n, 'row', 'has', 'have')} labels, but no probabilities tell the decision.`
  let right = 0
  for (let i = 0; i < rows.right.length; i++) right += rows.right[i] as number
  const interval = intervals[name]
  const range =
    interval === undefined
      ? 'too little to say how exactly'
      : `surely ${formatWholePercent(interval.low)} to ${formatWholePercent(interval.high)}`
  const isWeighted = Math.abs(right / n - share) > 1e-9
  const whole = isWeighted ? ` of the sample, ${formatWholePercent(share)} of the whole run` : ''
  return `Right in ${right} of ${formatCount(n, 'row')}${whole} (${isWeighted ? '' : `${formatWholePercent(share)}, `}${range}).`
}

const describeBaseline = ({ baseline: { label, accuracy } }: QuestionFigures): string =>
  label === null || accuracy === null
    ? ''
    : `Always answering "${label}" would be right in ${formatWholePercent(accuracy)}.`
