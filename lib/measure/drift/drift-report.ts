import type { Draft } from '../../codec/json/draft'
import { formatInertMarkdown } from '../../text/markdown'
import { sanitize } from '../../text/sanitize'
import {
  formatFigure,
  formatShare,
  formatSignedPoints,
  formatSummaryHead,
  roundNumbers,
} from '../format-figures'
import type { DecisionCollector } from './collect-decisions'
import type { DecisionShares, QuestionDrift } from './measure-drift'

/** The numbers of rows of both runs. */
export type DriftCounts = Pick<DecisionCollector, 'rowCounts' | 'answeredCounts'>

/** All figures of `svc compare --unpaired`. */
export interface Drift {
  readonly counts: DriftCounts
  readonly seed: number
  readonly questions: ReadonlyMap<string, QuestionDrift>
}

/** The limits on the change; `undefined` for a flag that is not passed. */
export interface DriftBounds {
  /** `--significant`: the level of significance, between 0 and 1. */
  readonly significanceLevel: number | undefined
  /** `--max-shift`: the maximum total variation of the decisions of a question, from 0 to 1. */
  readonly maxShift: number | undefined
}

/** Describes each limit that is exceeded, question by question. A missing figure exceeds its limit. */
export const describeExceededDrift = (
  { significanceLevel, maxShift }: DriftBounds,
  questions: Drift['questions'],
): ReadonlyArray<string> =>
  [...questions].flatMap(([id, { holmP, shift, why }]) => {
    const exceeded: string[] = []
    if (significanceLevel !== undefined && (holmP === null || holmP < significanceLevel)) {
      const reason = holmP === null ? `no p: ${why.p}` : `p ${Number(holmP.toPrecision(3))}`
      exceeded.push(`--significant ${significanceLevel} (${id}: ${reason})`)
    }
    if (maxShift !== undefined && (shift === null || shift > maxShift))
      exceeded.push(`--max-shift ${maxShift} (${id}: shift is ${formatFigure(shift)})`)
    return exceeded
  })

/** Encodes the document of `svc compare --unpaired`. */
export const encodeDrift = ({ counts, seed, questions }: Drift): Draft =>
  roundNumbers({
    rows: counts.rowCounts,
    answered: counts.answeredCounts,
    seed,
    questions: new Map([...questions].map(([id, drift]) => [id, encodeQuestion(drift)])),
  })

const encodeQuestion = (drift: QuestionDrift): Draft => {
  const { type, n, decisions, shift, mean, p, holmP, why } = drift
  return {
    type,
    n,
    decisions: new Map([...decisions].map(([name, shares]) => [name, encodeShares(shares)])),
    shift,
    mean,
    p,
    p_holm: holmP,
    why: { ...why, ...(why.p === undefined ? {} : { p_holm: why.p }) },
  }
}

const encodeShares = ({ a, b, difference, interval }: DecisionShares): Draft => ({
  a,
  b,
  difference,
  low: interval?.low ?? null,
  high: interval?.high ?? null,
})

/**
 * Formats the sentences of `svc compare --unpaired --table`: one for each decision, of a yes/no question only that for yes. Then the
 * p-value of the question.
 */
export const tabulateDrift = ({ counts, questions }: Drift): string => {
  const paragraphs = [...questions].map(([id, drift]) =>
    describeQuestion(id, drift).map(sanitize).join('\n'),
  )
  return [describeCounts(counts), ...paragraphs].join('\n\n')
}

/** Formats the result of `svc compare --unpaired` as Markdown for the job summary of a CI system. */
export const formatDriftMarkdown = (
  { counts, questions }: Drift,
  exceeded: ReadonlyArray<string>,
): string => {
  const head = formatSummaryHead('compare', describeCounts(counts), 'exceeded', exceeded)
  const lines = [...questions].flatMap(([id, drift]) => describeQuestion(id, drift))
  return [head, lines.map((line) => `- ${formatInertMarkdown(line)}`).join('\n')].join('\n\n')
}

const describeCounts = ({ rowCounts, answeredCounts }: DriftCounts): string =>
  `${answeredCounts.a} of ${rowCounts.a} rows answered before, ${answeredCounts.b} of ${rowCounts.b} now`

/** Describes the change of the decisions about a question, each in one line. */
const describeQuestion = (id: string, drift: QuestionDrift): ReadonlyArray<string> => {
  const { type, decisions, holmP, why } = drift
  const shown = [...decisions].filter(
    ([name, { a, b }]) => a + b > 0 && !(type === 'noul' && name === 'no'),
  )
  const lines = shown.map(([name, shares]) => `${id}: ${describeShares(name, shares)}`)
  const chance = holmP === null ? `no p: ${why.p}` : describeChance(holmP)
  return [...lines, `${id}: ${chance}`]
}

const describeShares = (name: string, { a, b, difference, interval }: DecisionShares): string => {
  const change = `${formatWholePoints(difference)} points`
  const range =
    interval === undefined
      ? ''
      : `, surely ${formatWholePoints(interval.low)} to ${formatWholePoints(interval.high)}`
  return `${formatShare(a)} ${name} before, ${formatShare(b)} now (${change}${range})`
}

/** Formats a difference of shares in points: whole numbers, or one decimal below 1. */
const formatWholePoints = (difference: number): string => {
  const points = Math.round(difference * 100)
  if (points === 0) return formatSignedPoints(difference)
  return points > 0 ? `+${points}` : String(points)
}

const describeChance = (p: number): string => {
  const shown = p < 0.001 ? 'below 0.001' : p.toFixed(3)
  return `p is ${shown} if nothing has changed, corrected for the number of questions`
}
