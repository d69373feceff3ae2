import type { Answer } from '../../lib/codec/answer'
import type { Probabilities } from '../../lib/codec/probabilities'
import type { AskResponse } from '../../lib/codec/response'
import { decisionOf, isKnown, probabilityOfDecision } from '../../lib/measure/decision'
import type { AnswerPolicies } from '../../lib/runs/policy/policy'
import type { Output, Runtime } from '../../lib/runtime/runtime'
import { alignTable, cleanCell, cutToWidth, measureWidth } from '../../lib/text/table'
import { chooseTextLayout } from '../../lib/text/terminal'
import { findWidth } from '../../lib/text/wrap'

// All widths are in columns of the terminal.
const maxBarWidth = 20
const minBarWidth = 5

/** The minimum width of the columns of ids and answers together: that of their headings. */
const minTextWidth = 'question'.length + 'answer'.length

/** On a narrower terminal, the column of the confidence has a short heading, or is left out if there are policies. */
const minFullWidth = 60

/** The space between two columns. */
const columnGap = 2

interface AnswerRow {
  readonly id: string
  readonly answer: string
  readonly probability: number | undefined
  /** The place of a score on its scale, from 0 (lowest level) to 1; `undefined` for other answers. */
  readonly place: number | undefined
  readonly confidence: string
  readonly outcome: string
}

interface AnswerTableOptions {
  readonly policies: AnswerPolicies | undefined
  /** The output that shows the table. In a pipe, the table has the width of `COLUMNS`, or 80 columns. */
  readonly output: Pick<Output, 'isTTY' | 'columns'>
  readonly env: Runtime['env']
  /** Redacts secrets in a text of the service, and cuts it if it is long. */
  readonly redactAndCut: (text: string) => string
}

/**
 * Formats the table of `svc ask --table`. Each question has its id, the answer, a probability as a bar and as a number, the
 * confidence, and the outcome if there are policies. The probability is that of a yes for a yes/no question, otherwise that of
 * the answer. A score has its place on the scale in place of a probability.
 */
export const tabulateAnswers = (response: AskResponse, options: AnswerTableOptions): string => {
  const { policies, output, env, redactAndCut } = options
  const terminalWidth = findWidth(output, env)
  const rows = [...response.answers].map(
    ([id, answer]): AnswerRow => ({
      id: cleanCell(redactAndCut(id)),
      answer: cleanCell(redactAndCut(describeAnswer(answer))),
      probability: selectProbability(answer),
      place: findPlace(answer),
      confidence: formatConfidence(answer),
      outcome: policies?.get(id)?.apply(answer).outcome ?? '',
    }),
  )
  const isNarrow = terminalWidth < minFullWidth
  const hasOutcome = policies !== undefined
  const hasConfidence = !(hasOutcome && isNarrow)
  const listLastCells = (confidence: string, outcome: string): ReadonlyArray<string> => [
    ...(hasConfidence ? [confidence] : []),
    ...(hasOutcome ? [outcome] : []),
  ]
  const lastHeadings = listLastCells(isNarrow ? 'conf.' : 'confidence', 'outcome')
  const widths = divideColumns(rows, terminalWidth, lastHeadings)
  // Ids, answers and bars are aligned to the left.
  const textColumnCount = 3
  return alignTable(
    textColumnCount,
    ['question', 'answer', 'probability', ...lastHeadings],
    rows.map(({ id, answer, probability, place, confidence, outcome }) => [
      cutToWidth(id, widths.id),
      cutToWidth(answer, widths.answer),
      formatProbability(probability, place, widths.bar),
      ...listLastCells(confidence, outcome),
    ]),
    // The columns divide the width among them, so none is left out.
    { paint: chooseTextLayout(output, env).paint, width: undefined, decisive: 'answer' },
  )
}

/** Divides the width of the terminal between ids, answers and bars. The last columns are as wide as their headings. */
const divideColumns = (
  rows: ReadonlyArray<AnswerRow>,
  terminalWidth: number,
  lastHeadings: ReadonlyArray<string>,
): { readonly id: number; readonly answer: number; readonly bar: number } => {
  // Two gaps divide the three first columns. A bar is followed by a space and its number.
  let fixedWidth = 2 * columnGap + ' 0.123'.length
  for (const heading of lastHeadings) fixedWidth += columnGap + heading.length
  const available = Math.max(minTextWidth + minBarWidth, terminalWidth - fixedWidth)
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
 * Divides a width between two columns. If the widths of both texts do not fit, each column gets half, or more if the other one
 * needs less than half.
 */
const divideWidth = (
  available: number,
  firstTextWidth: number,
  secondTextWidth: number,
): readonly [firstWidth: number, secondWidth: number] => {
  const half = Math.floor(available / 2)
  const secondWidth = Math.min(secondTextWidth, Math.max(half, available - firstTextWidth))
  return [Math.min(firstTextWidth, available - secondWidth), secondWidth]
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
      const highestLevel = findHighestLevel(answer)
      const place = highestLevel === undefined ? score : `${score} of ${highestLevel}`
      return level === undefined ? place : `${place}, level ${level}`
    }
    case 'refusal':
      return answer.reason === undefined ? 'refusal' : `refusal: ${answer.reason}`
    case 'other':
      return `of type ${answer.name}`
    case undefined:
      return ''
  }
}

/** Returns `true` if there are at least two levels, and all are equally likely. */
const isUniform = (probabilities: Probabilities): boolean => {
  const [first, ...others] = probabilities.map(([, probability]) => probability)
  return others.length > 0 && others.every((probability) => probability === first)
}

/** Returns P(yes) of a yes/no question, or the probability of the label or level shown; `undefined` if there is none. */
const selectProbability = (answer: Answer | undefined): number | undefined => {
  if (answer?.type === 'noul') return answer.noul
  return answer !== undefined && isKnown(answer) ? probabilityOfDecision(answer) : undefined
}

/** Formats the confidence of a choice or a score; empty for other answers and for an answer without confidence. */
const formatConfidence = (answer: Answer | undefined): string => {
  if (answer?.type !== 'choice' && answer?.type !== 'score') return ''
  return answer.confidence?.toFixed(3) ?? ''
}

/** Draws a probability as a bar with its number, and a score as its place on the scale, whose number is in the column of answers. */
const formatProbability = (
  probability: number | undefined,
  place: number | undefined,
  barWidth: number,
): string => {
  if (place !== undefined) return drawPlace(place, barWidth)
  return probability === undefined
    ? ''
    : `${drawBar(probability, barWidth)} ${probability.toFixed(3)}`
}

/** Returns the place of a score on its scale, from 0 to 1; `undefined` if the levels are unknown, and for other answers. */
const findPlace = (answer: Answer | undefined): number | undefined => {
  if (answer?.type !== 'score') return undefined
  const highestLevel = findHighestLevel(answer)
  return highestLevel === undefined ? undefined : answer.score / highestLevel
}

/** Returns the index of the highest level; `undefined` if the answer has probabilities of fewer than two levels. */
const findHighestLevel = ({
  probabilities,
}: {
  readonly probabilities: Probabilities
}): number | undefined => (probabilities.length < 2 ? undefined : probabilities.length - 1)

/** Draws a scale as a line, and a place on it, from 0 to 1, as a dot. */
const drawPlace = (place: number, width: number): string => {
  const dotColumn = Math.round(Math.min(1, Math.max(0, place)) * (width - 1))
  return `${'─'.repeat(dotColumn)}●${'─'.repeat(width - 1 - dotColumn)}`
}

const drawBar = (probability: number, barWidth: number): string => {
  const filledWidth = Math.round(Math.min(1, Math.max(0, probability)) * barWidth)
  return '█'.repeat(filledWidth) + '░'.repeat(barWidth - filledWidth)
}
