import { nameDecision } from '../compare/compared-answer'
import { computeHomogeneityPValue, newcombeInterval } from '../statistics/homogeneity'
import { adjustByHolm } from '../statistics/hypotheses'
import type { Interval } from '../statistics/intervals'
import type { QuestionDecisions } from './collect-decisions'

/** The shares of a decision in two runs. */
export interface DecisionShares {
  readonly a: number
  readonly b: number
  /** b − a */
  readonly difference: number
  /** The 95 % interval of the difference; `undefined` if the rows are in groups. */
  readonly interval: Interval | undefined
}

/** The change of the decisions about one question. */
export interface QuestionDrift {
  readonly type: QuestionDecisions['type']
  readonly n: { readonly a: number; readonly b: number }
  /** By the name of the decision, in the order of the question. */
  readonly decisions: ReadonlyMap<string, DecisionShares>
  /** The total variation of the decisions, 0 to 1: the share of the rows that decide otherwise. Null without decisions. */
  readonly shift: number | null
  /** The mean probability of yes; `undefined` if the question is not a yes/no question. */
  readonly mean: { readonly a: number | null; readonly b: number | null } | undefined
  /** The p-value that nothing changed; null if the rows are not independent draws. */
  readonly p: number | null
  /** `p`, corrected by Holm's method for the number of questions that have a p-value. */
  readonly holmP: number | null
  /** The reasons why figures are missing, by their names in the document. */
  readonly why: Readonly<Record<string, string>>
}

/** Measures the change of the decisions about each question. */
export const measureDrift = (
  questions: ReadonlyMap<string, QuestionDecisions>,
  seed: number,
): ReadonlyMap<string, QuestionDrift> => {
  const measured = [...questions].map(
    ([id, decisions]) => [id, measureQuestion(decisions, seed)] as const,
  )
  const tested = measured.flatMap(([id, { p }]) => (p === null ? [] : [{ id, p }]))
  const adjusted = adjustByHolm(tested.map(({ p }) => p))
  const holmById = new Map(tested.map(({ id }, i) => [id, adjusted[i] as number]))
  return new Map(measured.map(([id, drift]) => [id, { ...drift, holmP: holmById.get(id) ?? null }]))
}

const measureQuestion = (
  question: QuestionDecisions,
  seed: number,
): Omit<QuestionDrift, 'holmP'> => {
  const { type, a, b } = question
  const names = listDecisions(question)
  const why = explainMissing(question)
  const decisions = new Map<string, DecisionShares>()
  let shift = 0
  for (const name of names) {
    const shareOfA = a.shareOf(name)
    const shareOfB = b.shareOf(name)
    const difference = shareOfB - shareOfA
    shift += Math.abs(difference) / 2
    const interval =
      why.intervals === undefined
        ? newcombeInterval(
            { share: shareOfA, n: a.effectiveSize() },
            { share: shareOfB, n: b.effectiveSize() },
          )
        : undefined
    decisions.set(chooseName(name, names), { a: shareOfA, b: shareOfB, difference, interval })
  }
  const hasDecisions = a.count > 0 && b.count > 0
  const counts = {
    a: names.map((name) => a.counts.get(name) ?? 0),
    b: names.map((name) => b.counts.get(name) ?? 0),
  }
  return {
    type,
    n: { a: a.count, b: b.count },
    decisions,
    shift: hasDecisions ? shift : null,
    mean: type === 'noul' ? { a: a.meanYes(), b: b.meanYes() } : undefined,
    p: why.p === undefined ? computeHomogeneityPValue(counts, seed) : null,
    why,
  }
}

/** Lists the decisions of a question: yes and no, the labels in the order of the answers, or the levels; a refusal is the last. */
const listDecisions = ({ type, labels, a, b }: QuestionDecisions): ReadonlyArray<string> => {
  const answered = type === 'noul' ? ['yes', 'no'] : [...labels]
  if (type === 'score') answered.sort((first, second) => Number(first) - Number(second))
  // Answers without probabilities list no labels, and a refusal lists none either.
  const others = [...a.counts.keys(), ...b.counts.keys()].filter((name) => !answered.includes(name))
  const refusals = (name: string): number => (nameDecision(name) === name ? 0 : 1)
  return [...answered, ...new Set(others)].sort((x, y) => refusals(x) - refusals(y))
}

/** Returns the name of a decision in the document. A label `refusal` is told from a refusal by a quote. */
const chooseName = (decision: string, decisions: ReadonlyArray<string>): string => {
  const name = nameDecision(decision)
  return name !== decision && decisions.includes(name) ? `${name}'` : name
}

/** Explains which figures are missing. */
const explainMissing = ({ a, b }: QuestionDecisions): Readonly<Record<string, string>> => {
  const reason = explainDependence(a.isGrouped || b.isGrouped)
  if (a.count === 0 || b.count === 0) {
    const missing = 'a run has no decisions: its answers have no probabilities'
    return { shift: missing, intervals: missing, p: missing }
  }
  if (reason !== undefined) return { intervals: reason, p: reason }
  return a.hasUnequalWeights() || b.hasUnequalWeights()
    ? { p: 'rows with different weights are not independent draws' }
    : {}
}

const explainDependence = (isGrouped: boolean): string | undefined =>
  isGrouped ? 'rows in groups are not independent draws' : undefined
