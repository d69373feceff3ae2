import type { Answer } from '../codec/answer'
import type { Probabilities } from '../codec/probabilities'
import type { AskResponse } from '../codec/response'
import { alignTable, cleanCell, cutToWidth, measureWidth } from '../failure/text/table'
import type { AnswerPolicies } from '../runs/policy/policy'
import { decisionOf, isKnown, probabilityOfDecision } from './decision'

// All widths are in columns of the terminal.
const maxBarWidth = 20
const minBarWidth = 5

/** The minimum width of the columns of ids and answers together: that of their headings. */
const minTextWidth = 'question'.length + 'answer'.length

/** On a narrower terminal, the column of the confidence has a short heading. With a policy, there is no such column. */
const minFullWidth = 60

/** The space between two columns. */
const columnGap = 2

/** The width of a space and a probability with three decimals. */
const probabilityWidth = ' 0.123'.length

/** The row of one question. */
interface AnswerRow {
  readonly id: string
  readonly answer: string
  readonly probability: number | undefined
  readonly confidence: string
  readonly outcome: string
}

/**
 * Formats the table of `svc ask --table`: for each question its id, the answer, the probability of a yes as a bar and as a number,
 * the confidence, and the outcome if there is a policy. `width` is the width of the terminal. `prepare` redacts and cuts texts of
 * the service.
 */
export const tabulateAnswers = (
  response: AskResponse,
  policy: AnswerPolicies | undefined,
  width: number,
  prepare: (text: string) => string,
): string => {
  const rows = [...response.answers].map(
    ([id, answer]): AnswerRow => ({
      id: cleanCell(prepare(id)),
      answer: cleanCell(prepare(describeAnswer(answer))),
      probability: selectProbability(answer),
      confidence: formatConfidence(answer),
      outcome: policy?.get(id)?.apply(answer).outcome ?? '',
    }),
  )
  const hasOutcome = policy !== undefined
  const hasConfidence = !hasOutcome || width >= minFullWidth
  const selectLastCells = (confidence: string, outcome: string): ReadonlyArray<string> => [
    ...(hasConfidence ? [confidence] : []),
    ...(hasOutcome ? [outcome] : []),
  ]
  const lastHeadings = selectLastCells(width < minFullWidth ? 'conf.' : 'confidence', 'outcome')
  const widths = divideColumns(rows, width, lastHeadings)
  return alignTable(
    3,
    ['question', 'answer', 'P(yes)', ...lastHeadings],
    rows.map(({ id, answer, probability, confidence, outcome }) => [
      cutToWidth(id, widths.id),
      cutToWidth(answer, widths.answer),
      probability === undefined
        ? ''
        : `${drawBar(probability, widths.bar)} ${probability.toFixed(3)}`,
      ...selectLastCells(confidence, outcome),
    ]),
  )
}

/** Divides the width of the terminal between ids, answers and bars. The last columns are as wide as their headings. */
const divideColumns = (
  rows: ReadonlyArray<AnswerRow>,
  width: number,
  lastHeadings: ReadonlyArray<string>,
): { readonly id: number; readonly answer: number; readonly bar: number } => {
  let fixedWidth = 2 * columnGap + probabilityWidth
  for (const heading of lastHeadings) fixedWidth += columnGap + heading.length
  const available = Math.max(minTextWidth + minBarWidth, width - fixedWidth)
  const [id, answer] = divideWidth(
    available - minBarWidth,
    findMaxWidth(['question', ...rows.map((row) => row.id)]),
    findMaxWidth(['answer', ...rows.map((row) => row.answer)]),
  )
  return { id, answer, bar: Math.min(maxBarWidth, available - id - answer) }
}

const findMaxWidth = (texts: ReadonlyArray<string>): number =>
  texts.reduce((max, text) => Math.max(max, measureWidth(text)), 0)

/**
 * Divides a width between two columns that need `first` and `second`. If both do not fit, each gets half, or more if the other one
 * needs less than half.
 */
const divideWidth = (
  available: number,
  first: number,
  second: number,
): readonly [first: number, second: number] => {
  const half = Math.floor(available / 2)
  const secondWidth = Math.min(second, Math.max(half, available - first))
  return [Math.min(first, available - secondWidth), secondWidth]
}

const describeAnswer = (answer: Answer | undefined): string => {
  switch (answer?.type) {
    case 'noul':
    case 'choice':
      return decisionOf(answer) ?? ''
    case 'score': {
      if (isUniform(answer.probabilities)) return 'undecided'
      const level = decisionOf(answer)
      const score = String(Number(answer.score.toFixed(3)))
      return level === undefined ? score : `${score}, level ${level}`
    }
    case 'refusal':
      return answer.reason === undefined ? 'refusal' : `refusal: ${answer.reason}`
    case 'other':
      return `of type ${answer.name}`
    case undefined:
      return ''
  }
}

/** Returns `true` if all of at least two levels are equally likely. */
const isUniform = (probabilities: Probabilities): boolean =>
  probabilities.length > 1 && probabilities.every(([, p]) => p === probabilities[0]?.[1])

/** Returns P(yes) of a noul, or the probability of the label or level shown; `undefined` if there is none. */
const selectProbability = (answer: Answer | undefined): number | undefined => {
  if (answer?.type === 'noul') return answer.noul
  return answer !== undefined && isKnown(answer) ? probabilityOfDecision(answer) : undefined
}

const formatConfidence = (answer: Answer | undefined): string =>
  answer?.type === 'choice' || answer?.type === 'score' ? (answer.confidence?.toFixed(3) ?? '') : ''

const drawBar = (p: number, columns: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, p)) * columns)
  return '█'.repeat(full) + '░'.repeat(columns - full)
}
