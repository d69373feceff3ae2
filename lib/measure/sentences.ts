import { writeCount } from '../failure/text/table'
import { sampleOf } from './calibrate'
import type { QuestionFigures } from './figures'
import { type LabelledRows, missingProbabilities } from './labelled'
import { chooseCut } from './statistics/cuts'

/** What counts as sure in words for people: with 95 % confidence, at least 95 % of such answers are right. */
const sure = { figure: 'accuracy', value: 0.95 } as const
const confidence = 0.95

const writePercent = (share: number): string => `${Math.round(share * 100)} %`

/**
 * Says of a question in plain words how right it is, what always giving the commonest answer would give, and how many
 * rows a person must see so that the others are sure. R33
 */
export const describeInWords = (rows: LabelledRows, figures: QuestionFigures): string => {
  const n = rows.truth.length
  if (n === 0) return 'No row has a label.'
  return [describeRight(rows, figures), describeBaseline(figures), describeSure(rows)].join(' ')
}

const describeRight = (rows: LabelledRows, { figures, intervals, n }: QuestionFigures): string => {
  const name = rows.type === 'score' ? 'exact' : 'accuracy'
  const share = figures[name] ?? null
  if (share === null)
    return `${writeCount(n, 'row', 'has', 'have')} labels, but no probabilities tell the decision.`
  let right = 0
  for (let i = 0; i < rows.right.length; i++) right += rows.right[i] as number
  const interval = intervals[name]
  const range =
    interval === undefined
      ? 'too little to say how exactly'
      : `surely ${writePercent(interval.low)} to ${writePercent(interval.high)}`
  const isWeighted = Math.abs(right / n - share) > 1e-9
  const whole = isWeighted ? ` of the sample, ${writePercent(share)} of the whole run` : ''
  return `Right in ${right} of ${writeCount(n, 'row')}${whole} (${isWeighted ? '' : `${writePercent(share)}, `}${range}).`
}

const describeBaseline = ({ baseline: { label, accuracy } }: QuestionFigures): string =>
  label === null || accuracy === null
    ? ''
    : `Always answering "${label}" would be right in ${writePercent(accuracy)}.`

const describeSure = (rows: LabelledRows): string => {
  const n = rows.truth.length
  if (missingProbabilities(rows) !== undefined)
    return 'Without probabilities no answer can be told to be sure.'
  const cut = chooseCut(sure, confidence, sampleOf(rows, sure, rows.probabilities))
  if (cut.at !== null)
    return `A person must see ${n - cut.n} of ${writeCount(n, 'row')}, so that of the other ${cut.n} at least ${writePercent(sure.value)} are right.`
  const few = n < (cut.needs ?? 0) ? `; that takes ${cut.needs} labelled rows at least` : ''
  return `A person must see ${n === 1 ? 'the row' : `all ${n} rows`}: no answers are shown to be right in ${writePercent(sure.value)}${few}.`
}
