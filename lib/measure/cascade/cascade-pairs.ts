import type { Answer } from '../../codec/answer'
import { stringIn } from '../../codec/json/json'
import { findTopAndMargin } from '../../codec/probabilities'
import type { QuestionType } from '../../runs/policy/policy'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { decisionByLabel, decisionOf, distributionOf, isKnown } from '../decision'
import { type LabelledRecord, notDrawnByChance } from '../labels/labelled-record'
import { groupOf, NameIndexes } from '../record-names'
import { createPairKey, PendingRows } from '../rows/pending-rows'

/** The tokens of an answer; null if the service sent no count. */
export interface PairTokens {
  readonly input: number | null
  readonly output: number | null
}

/** The answers of both runs, a cheap one (a) and an expensive one (b), to one question about one row. */
export interface QuestionPair {
  /** The index of the row in `CascadePairs.tokens`. */
  readonly row: number
  /** The largest probability in the answer of a; 0 for a refusal or an answer without probabilities. */
  readonly topProbability: number
  /** Says for each run if its answer is right; `undefined` without a label. A refusal is never right. */
  readonly right: { readonly a: boolean; readonly b: boolean } | undefined
  /** The number of rows of the run that the row represents: 1 divided by the chance with which it was drawn. */
  readonly weight: number
  /** The index of the row's group; −1 for none. */
  readonly group: number
}

/** The pairs of one question. */
export interface CascadeQuestion {
  readonly type: QuestionType
  readonly pairs: QuestionPair[]
}

/** Two runs, paired row by row. */
export interface CascadePairs {
  /** The tokens of both answers to each paired row. */
  readonly tokens: ReadonlyArray<{ readonly a: PairTokens; readonly b: PairTokens }>
  readonly questions: ReadonlyMap<string, CascadeQuestion>
  /** The digests of the sets of questions in a. */
  readonly questionsSha256: ReadonlySet<string>
  /** The models of a. */
  readonly models: ReadonlySet<string>
}

/** The data of a row of b, which is stored until its partner in a is read. */
interface RowOfB {
  /** The decision of the answer to each question, by id; `undefined` for a refusal or a score without probabilities. */
  readonly decisions: ReadonlyMap<string, string | undefined>
  readonly tokens: PairTokens
}

/** Rows are paired by the digests of their state and questions, not by their ids. */
const pairsById = false

/**
 * Creates a pairing of two runs. A row of a is paired with a row of b that has the same state and questions. All records of b must
 * be added first, then those of a with their labels. Repetitions and rows without an answer are ignored.
 */
export const createCascadePairing = () => {
  const pendingRows = new PendingRows<RowOfB>()
  const tokens: Array<{ readonly a: PairTokens; readonly b: PairTokens }> = []
  const questions = new Map<string, CascadeQuestion>()
  const groups = new NameIndexes()
  const digests = new Set<string>()
  const models = new Set<string>()

  /** Returns the index of the record's group; −1 for none. */
  const indexGroup = (record: RunRecord): number => {
    const name = groupOf(record)
    return name === undefined ? -1 : groups.indexOf(name)
  }
  /** Adds a record of b. */
  const addB = (record: RunRecord): void => {
    const key = createPairKey(record, pairsById)
    if (isRepetition(record) || !isAnswered(record.outcome) || key === undefined) return
    const decisions = new Map<string, string | undefined>()
    for (const [id, answer] of record.outcome.answers) decisions.set(id, decide(answer))
    pendingRows.add(key, { decisions, tokens: record.outcome.usage })
  }
  /** Adds a record of a. Returns a fault of its answers or labels, if any. */
  const addA = ({ record }: LabelledRecord): string | undefined => {
    const key = createPairKey(record, pairsById)
    if (isRepetition(record) || !isAnswered(record.outcome) || key === undefined) return undefined
    if (record.p === null) return notDrawnByChance
    const partner = pendingRows.take(key)
    if (partner === undefined) return undefined
    const { answers, usage, model } = record.outcome
    const row = tokens.push({ a: usage, b: partner.tokens }) - 1
    models.add(model)
    const digest = stringIn(record.questionsSha256)
    if (digest !== undefined) digests.add(digest)
    const rowData = { row, weight: 1 / (record.p ?? 1), group: indexGroup(record) }
    const answeredByBoth = [...answers].filter(([id]) => partner.decisions.has(id))
    for (const [id, answer] of answeredByBoth) {
      const decisionOfB = partner.decisions.get(id)
      const label = record.labels.get(id)
      const fault = addPair(questions, { id, answer, decisionOfB, label, rowData })
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

/** Returns `true` for a repetition of a row (`svc batch --repeat`). */
const isRepetition = ({ run }: RunRecord): boolean => (run ?? 0) > 0

/** A pair of answers to one question. */
interface AnswerPair {
  /** The id of the question. */
  readonly id: string
  /** The answer of a. */
  readonly answer: Answer
  /** The decision of b; `undefined` for a refusal. */
  readonly decisionOfB: string | undefined
  /** The label that a person gave; `undefined` if there is none. */
  readonly label: Label | undefined
  readonly rowData: Pick<QuestionPair, 'row' | 'weight' | 'group'>
}

/** Adds a pair of answers. Returns a fault of the answer or the label, if any. */
const addPair = (
  questions: Map<string, CascadeQuestion>,
  { id, answer, decisionOfB, label, rowData }: AnswerPair,
): string | undefined => {
  if (answer.type === 'other') return undefined
  const type = isKnown(answer) ? answer.type : questions.get(id)?.type
  // The type of the question is unknown if all answers so far are refusals.
  if (type === undefined) return undefined
  const question = questions.get(id) ?? { type, pairs: [] }
  questions.set(id, question)
  if (question.type !== type)
    return `answers.${id}: is a ${type} answer, in lines before a ${question.type} answer`
  const truth = label === undefined ? undefined : decisionByLabel(type, label)
  if (label !== undefined && truth === undefined)
    return `labels.${id}: does not fit a ${type} answer`
  const right =
    truth === undefined ? undefined : { a: decide(answer) === truth, b: decisionOfB === truth }
  question.pairs.push({ ...rowData, right, topProbability: measureTopProbability(answer) })
  return undefined
}

/** Returns the decision of an answer; `undefined` for a refusal or a score without probabilities. */
const decide = (answer: Answer): string | undefined =>
  isKnown(answer) ? decisionOf(answer) : undefined

/** Returns the largest probability, rounded to 12 decimals because 1 − 0.9 and 0.1 differ by a rounding error. */
const measureTopProbability = (answer: Answer): number => {
  const top = isKnown(answer) ? (findTopAndMargin(distributionOf(answer))?.top ?? 0) : 0
  return Math.round(top * 1e12) / 1e12
}
