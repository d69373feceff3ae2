import type { Answer } from '../../codec/answer'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { decisionByLabel, decisionOf, distributionOf, isKnown, type KnownAnswer } from '../decision'
import { type LabelledRecord, notDrawnByChance } from '../labels/labelled-record'
import { groupOf } from '../record-names'

/** The data of an answer to one question from which shares are estimated. */
export interface ShareRow {
  /**
   * The probabilities by the column of each label (`ShareQuestion.columns`). A missing one is 0. An answer without
   * probabilities has 1 for its choice. Arrays take less memory than maps, which matters for large runs.
   */
  readonly probabilities: ReadonlyArray<number | undefined>
  /** The score; `undefined` for other types. */
  readonly score: number | undefined
  /** The label that a person gave: `yes` or `no`, a label, or the index of a level. `undefined` without a label. */
  readonly label: string | undefined
  /** The chance with which the row was drawn; `undefined` if it was not drawn. */
  readonly p: number | undefined
}

/** The rows of one question. */
export interface ShareQuestion {
  readonly type: KnownAnswer['type']
  readonly rows: ShareRow[]
  /** The column of each label that answers list, in the order of first appearance. A noul has only `yes`. */
  readonly columns: Map<string, number>
  /** True if any answer has no probabilities. */
  lacksProbabilities: boolean
}

/** The data of a run from which shares are estimated. */
export interface ShareRun {
  readonly rows: number
  readonly answered: number
  /** The number of answered rows with at least one label. */
  readonly labelled: number
  readonly hasGroups: boolean
  readonly questions: ReadonlyMap<string, ShareQuestion>
}

/** Creates a collector that is given a run record by record. */
export const createShareCollector = () => {
  const questions = new Map<string, ShareQuestion>()
  let rows = 0
  let answered = 0
  let labelled = 0
  let hasGroups = false

  /** Adds a record. Returns its fault, if any. Ignores repetitions of a row. */
  const add = ({ record }: LabelledRecord): string | undefined => {
    if ((record.run ?? 0) > 0) return undefined
    rows++
    hasGroups ||= groupOf(record) !== undefined
    if (!isAnswered(record.outcome)) return undefined
    if (record.p === null) return notDrawnByChance
    answered++
    if (record.labels.size > 0) labelled++
    return addAnswers(questions, record, record.outcome.answers)
  }
  return { add, finish: (): ShareRun => ({ rows, answered, labelled, hasGroups, questions }) }
}

const addAnswers = (
  questions: Map<string, ShareQuestion>,
  record: RunRecord,
  answers: Iterable<readonly [id: string, answer: Answer]>,
): string | undefined => {
  for (const [id, answer] of answers) {
    const fault = isKnown(answer) ? addAnswer(questions, id, answer, record) : undefined
    if (fault !== undefined) return fault
  }
  return undefined
}

const addAnswer = (
  questions: Map<string, ShareQuestion>,
  id: string,
  answer: KnownAnswer,
  record: RunRecord,
): string | undefined => {
  const question = questions.get(id) ?? createQuestion(answer.type)
  questions.set(id, question)
  if (question.type !== answer.type)
    return `answers.${id}: is a ${answer.type} answer, in lines before a ${question.type} answer`
  const recordLabel = record.labels.get(id)
  const label =
    recordLabel === undefined ? undefined : decisionByLabel(answer.type, recordLabel as Label)
  if (recordLabel !== undefined && label === undefined)
    return `labels.${id}: ${JSON.stringify(recordLabel)} is not a label of a ${answer.type}`
  const probabilities = listByColumn(answer, question.columns)
  if (distributionOf(answer).length === 0) question.lacksProbabilities = true
  const score = answer.type === 'score' ? answer.score : undefined
  question.rows.push({ probabilities, score, label, p: record.p ?? undefined })
  return undefined
}

const createQuestion = (type: KnownAnswer['type']): ShareQuestion => ({
  type,
  rows: [],
  columns: new Map(type === 'noul' ? [['yes', 0]] : []),
  lacksProbabilities: false,
})

/** Lists the probabilities of an answer by column. Adds a column for each new label; a noul has no column for `no`. */
const listByColumn = (answer: KnownAnswer, columns: Map<string, number>): number[] => {
  const probabilities: number[] = []
  for (const [label, probability] of resolveProbabilities(answer)) {
    if (answer.type === 'noul' && label !== 'yes') continue
    const column = columns.get(label) ?? columns.size
    columns.set(label, column)
    probabilities[column] = probability
  }
  return probabilities
}

/** Returns the probabilities of an answer. If it has none, its decision gets the probability 1. */
const resolveProbabilities = (answer: KnownAnswer): ReadonlyArray<readonly [string, number]> => {
  const distribution = distributionOf(answer)
  const decision = distribution.length === 0 ? decisionOf(answer) : undefined
  return decision === undefined ? distribution : [[decision, 1]]
}
