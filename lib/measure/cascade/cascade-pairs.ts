import type { Answer } from '../../codec/answer'
import { stringIn } from '../../codec/json/json'
import { leadOf } from '../../codec/probabilities'
import type { QuestionType } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { decisionByLabel, decisionOf, distributionOf, isKnown } from '../decision'
import { type LabelledRecord, notDrawnByChance } from '../labels/labelled-record'
import { groupOf, NameNumbers } from '../record-names'
import { HeldRows, pairKeyOf } from '../rows/held-rows'

/** The tokens of an answer; null if the service sent no count. */
export interface PairTokens {
  readonly input: number | null
  readonly output: number | null
}

/** The answers of both runs to one question about one row. */
export interface QuestionPair {
  /** The pair of rows, as its index in `tokens`. */
  readonly row: number
  /** The largest probability of a; 0 if a refused or has no probabilities. */
  readonly topProbability: number
  /** `true` if the answer of the run is right; `undefined` without a label. A refusal is not right. */
  readonly right: { readonly a: boolean; readonly b: boolean } | undefined
  readonly weight: number
  /** The number of the row's group; −1 for none. */
  readonly group: number
}

/** The pairs of one question, and its type, which a policy names. */
export interface CascadeQuestion {
  readonly type: QuestionType
  readonly pairs: QuestionPair[]
}

/** Two runs, paired row by row. */
export interface CascadePairs {
  /** The tokens of both answers to each paired row. */
  readonly tokens: ReadonlyArray<{ readonly a: PairTokens; readonly b: PairTokens }>
  readonly questions: ReadonlyMap<string, CascadeQuestion>
  /** The digest of the questions, and the models of a. */
  readonly questionsSha256: ReadonlySet<string>
  readonly models: ReadonlySet<string>
}

/** The parts of a row of b that are held until its partner in a is read. */
interface RowOfB {
  readonly decisions: ReadonlyMap<string, string | undefined>
  readonly tokens: PairTokens
}

/** Creates a pairing of two runs. All records of b must be added first, then those of a with their labels. */
export const createCascadePairing = () => {
  const held = new HeldRows<RowOfB>()
  const tokens: Array<{ readonly a: PairTokens; readonly b: PairTokens }> = []
  const questions = new Map<string, CascadeQuestion>()
  const groups = new NameNumbers()
  const digests = new Set<string>()
  const models = new Set<string>()

  const placeOfGroup = (record: RunRecord): number => {
    const name = groupOf(record)
    return name === undefined ? -1 : groups.numberOf(name)
  }
  const addB = (record: RunRecord): undefined => {
    const key = pairKeyOf(record, false)
    if (isRepeated(record) || !isAnswered(record.outcome) || key === undefined) return undefined
    const decisions = new Map([...record.outcome.answers].map(([id, one]) => [id, decide(one)]))
    held.add(key, { decisions, tokens: record.outcome.usage })
    return undefined
  }
  /** Adds a record of a. Returns its fault, if any. */
  const addA = ({ record }: LabelledRecord): string | undefined => {
    const key = pairKeyOf(record, false)
    if (isRepeated(record) || !isAnswered(record.outcome) || key === undefined) return undefined
    if (record.p === null) return notDrawnByChance
    const partner = held.take(key)
    if (partner === undefined) return undefined
    const { answers, usage, model } = record.outcome
    const row = tokens.push({ a: usage, b: partner.tokens }) - 1
    models.add(model)
    const digest = stringIn(record.questionsSha256)
    if (digest !== undefined) digests.add(digest)
    const place = { row, weight: 1 / (record.p ?? 1), group: placeOfGroup(record) }
    const shared = [...answers].filter(([id]) => partner.decisions.has(id))
    for (const [id, answer] of shared) {
      const fault = addPair(questions, id, answer, partner.decisions.get(id), record, place)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return {
    addA,
    addB,
    finish: (): CascadePairs => ({ tokens, questions, questionsSha256: digests, models }),
  }
}

/** Returns `true` for the second and later answers to a row, which are ignored. */
const isRepeated = ({ run }: RunRecord): boolean => (run ?? 0) > 0

const addPair = (
  questions: Map<string, CascadeQuestion>,
  id: string,
  answer: Answer,
  decisionOfB: string | undefined,
  record: RunRecord,
  place: Pick<QuestionPair, 'row' | 'weight' | 'group'>,
): string | undefined => {
  if (answer.type === 'other') return undefined
  const type = isKnown(answer) ? answer.type : questions.get(id)?.type
  // Refusals at the start of a run do not show the type of the question yet.
  if (type === undefined) return undefined
  const question = questions.get(id) ?? { type, pairs: [] }
  questions.set(id, question)
  if (question.type !== type)
    return `answers.${id}: is a ${type} answer, in lines before a ${question.type} answer`
  const label = record.labels.get(id)
  const truth = label === undefined ? undefined : decisionByLabel(type, label)
  if (label !== undefined && truth === undefined)
    return `labels.${id}: does not fit a ${type} answer`
  const right = judgeBoth(truth, decide(answer), decisionOfB)
  question.pairs.push({ ...place, right, topProbability: measureTopProbability(answer) })
  return undefined
}

const judgeBoth = (
  truth: string | undefined,
  a: string | undefined,
  b: string | undefined,
): QuestionPair['right'] => (truth === undefined ? undefined : { a: a === truth, b: b === truth })

/** Returns the decision of an answer; `undefined` for a refusal, which is never right. */
const decide = (answer: Answer): string | undefined =>
  isKnown(answer) ? decisionOf(answer) : undefined

/** Returns the largest probability, rounded to 12 decimals because 1 − 0.9 and 0.1 differ by a rounding error. */
const measureTopProbability = (answer: Answer): number => {
  const top = isKnown(answer) ? (leadOf(distributionOf(answer))?.top ?? 0) : 0
  return Math.round(top * 1e12) / 1e12
}
