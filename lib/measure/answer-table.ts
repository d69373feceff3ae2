import type { Answer } from '../codec/answer'
import type { Probabilities } from '../codec/probabilities'
import type { AskResponse } from '../codec/response'
import { alignTable, cleanCell, cutToWidth, measureWidth } from '../failure/text/table'
import type { AnswerPolicies } from '../runs/policy/policy'
import { decisionOf, isKnown, probabilityOfDecision } from './decision'

/** The width of a bar, in columns of the terminal. */
const maxBarWidth = 20
const minBarWidth = 5

/** The minimum width of ids and answers together: that of their headings. */
const minTextWidth = 'question'.length + 'answer'.length

/** On a terminal with fewer columns, the confidence has a short heading, and with a policy no column. */
const minFullWidth = 60

/**
 * Formats the table of `svc ask --table`: for each question a line with its id, the answer, the probability of a yes as a bar and
 * as a number, the confidence, and the outcome if there is a policy. `width` is that of the terminal in columns. `prepare` redacts
 * and cuts texts of the service.
 */
export const tabulateAnswers = (
  response: AskResponse,
  policy: AnswerPolicies | undefined,
  width: number,
  prepare: (text: string) => string,
): string => {
  const { answers } = response
  const rows = [...response.answers.keys()].map((id) => {
    const answer = answers.get(id)
    const outcome = policy?.get(id)?.apply(answer).outcome ?? ''
    const [name = '', text = ''] = [id, describeAnswer(answer)].map((text) =>
      cleanCell(prepare(text)),
    )
    return {
      name,
      text,
      p: selectProbability(answer),
      confidence: formatConfidence(answer),
      outcome,
    }
  })
  const hasOutcome = policy !== undefined
  const hasConfidence = !hasOutcome || width >= minFullWidth
  const selectLastCells = (confidence: string, outcome: string): ReadonlyArray<string> => [
    ...(hasConfidence ? [confidence] : []),
    ...(hasOutcome ? [outcome] : []),
  ]
  const confidenceHeading = width < minFullWidth ? 'conf.' : 'confidence'
  const headings = [
    'question',
    'answer',
    'P(yes)',
    ...selectLastCells(confidenceHeading, 'outcome'),
  ]
  const others = headings.slice(3).reduce((sum, heading) => sum + 2 + heading.length, '    '.length)
  const room = Math.max(minTextWidth + minBarWidth, width - others - ' 0.123'.length)
  const [ofName, ofText] = divideWidth(
    room - minBarWidth,
    widest('question', ...rows.map(({ name }) => name)),
    widest('answer', ...rows.map(({ text }) => text)),
  )
  const bar = Math.min(maxBarWidth, room - ofName - ofText)
  return alignTable(
    3,
    headings,
    rows.map(({ name, text, p, confidence, outcome }) => [
      cutToWidth(name, ofName),
      cutToWidth(text, ofText),
      p === undefined ? '' : `${drawBar(p, bar)} ${p.toFixed(3)}`,
      ...selectLastCells(confidence, outcome),
    ]),
  )
}

const widest = (...texts: ReadonlyArray<string>): number =>
  texts.reduce((most, text) => Math.max(most, measureWidth(text)), 0)

/** Divides a width between two texts: each gets its own width, but if both do not fit, at most half or what the other does not need. */
const divideWidth = (
  room: number,
  first: number,
  second: number,
): readonly [first: number, second: number] => {
  const half = Math.floor(room / 2)
  const ofSecond = Math.min(second, Math.max(half, room - first))
  return [Math.min(first, room - ofSecond), ofSecond]
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

/** Returns `true` if a score finds all levels equally likely. */
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
