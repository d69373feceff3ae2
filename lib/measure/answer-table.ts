import type { Answer } from '../codec/answer'
import type { Probabilities } from '../codec/probabilities'
import type { AskResponse } from '../codec/response'
import { alignTable, cleanCell, cutToWidth, measureWidth } from '../failure/text/table'
import type { AnswerPolicies } from '../runs/policy/policy'
import { decisionOf, isKnown, probabilityOfDecision } from './decision'

/** The columns of the longest and of the shortest bar. */
const longestBar = 20
const shortestBar = 5

/** The columns that ids and answers take together at least, however narrow the terminal is: those of their headings. */
const leastTexts = 'question'.length + 'answer'.length

/** Below this width the confidence has a short heading, and where there is a policy no column. */
const narrow = 60

/**
 * Writes the table of `svc ask --table`: for each question a line with its id, the answer, the probability of a yes as a
 * bar and as a number, the confidence, and the outcome where there is a policy. `prepare` redacts and cuts what a
 * server wrote.
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
    return { name, text, p: findProbability(answer), confidence: confidenceOf(answer), outcome }
  })
  const hasOutcome = policy !== undefined
  const hasConfidence = !hasOutcome || width >= narrow
  const chooseLast = (confidence: string, outcome: string): ReadonlyArray<string> => [
    ...(hasConfidence ? [confidence] : []),
    ...(hasOutcome ? [outcome] : []),
  ]
  const confidenceHeading = width < narrow ? 'conf.' : 'confidence'
  const headings = [
    ...['question', 'answer', 'P(yes)'],
    ...chooseLast(confidenceHeading, 'outcome'),
  ]
  const others = headings.slice(3).reduce((sum, heading) => sum + 2 + heading.length, '    '.length)
  const room = Math.max(leastTexts + shortestBar, width - others - ' 0.123'.length)
  const [ofName, ofText] = shareRoom(
    room - shortestBar,
    widest('question', ...rows.map(({ name }) => name)),
    widest('answer', ...rows.map(({ text }) => text)),
  )
  const bar = Math.min(longestBar, room - ofName - ofText)
  return alignTable(
    3,
    headings,
    rows.map(({ name, text, p, confidence, outcome }) => [
      cutToWidth(name, ofName),
      cutToWidth(text, ofText),
      p === undefined ? '' : `${drawBar(p, bar)} ${p.toFixed(3)}`,
      ...chooseLast(confidence, outcome),
    ]),
  )
}

const widest = (...texts: ReadonlyArray<string>): number =>
  texts.reduce((most, text) => Math.max(most, measureWidth(text)), 0)

/** Shares columns between two texts: each gets what it wants, or half, or what the other leaves. */
const shareRoom = (
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
      if (hasNoOpinion(answer.probabilities)) return 'undecided'
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

/** Whether a score finds all levels equally likely. */
const hasNoOpinion = (probabilities: Probabilities): boolean =>
  probabilities.length > 1 && probabilities.every(([, p]) => p === probabilities[0]?.[1])

/** The probability of a yes: to a noul question, or that the label or level shown is the answer. */
const findProbability = (answer: Answer | undefined): number | undefined => {
  if (answer?.type === 'noul') return answer.noul
  return answer !== undefined && isKnown(answer) ? probabilityOfDecision(answer) : undefined
}

const confidenceOf = (answer: Answer | undefined): string =>
  answer?.type === 'choice' || answer?.type === 'score' ? (answer.confidence?.toFixed(3) ?? '') : ''

const drawBar = (p: number, columns: number): string => {
  const full = Math.round(Math.min(1, Math.max(0, p)) * columns)
  return '█'.repeat(full) + '░'.repeat(columns - full)
}
