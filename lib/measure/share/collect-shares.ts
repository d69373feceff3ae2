import type { Probabilities } from '../../codec/probabilities'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'
import { decisionByLabel, decisionOf, distributionOf, isKnown, type KnownAnswer } from '../decision'
import {
  groupOf,
  isRepetition,
  type LabelledRecord,
  notDrawnByChanceFault,
} from '../labels/labelled-record'

/** The data of an answer to one question from which shares are estimated: the share of a label is the part of all rows that has it. */
export interface CollectedRow {
  /**
   * The probability of each label, at the label's index in `CollectedQuestion.columns`. A missing probability is 0. In an answer
   * without probabilities, the label that it decides for has 1. An array takes less memory than a map.
   */
  readonly probabilities: ReadonlyArray<number | undefined>
  /** The score. Every answer to a question of type `score` has one; `undefined` for other types. */
  readonly score: number | undefined
  /** The label that a person gave: `yes` or `no`, a label, or the index of a level. `undefined` without a label. */
  readonly label: string | undefined
  /** The probability with which the row was drawn for labelling; `undefined` if it was not drawn. */
  readonly drawProbability: number | undefined
}

/** The rows of one question. */
export interface CollectedQuestion {
  readonly type: KnownAnswer['type']
  readonly rows: CollectedRow[]
  /**
   * The index of each label in `CollectedRow.probabilities`. The labels are in the order in which answers first list them. A noul (a
   * yes/no question) has only the label `yes`.
   */
  readonly columns: Map<string, number>
  /** `true` if any answer has no probabilities. */
  lacksProbabilities: boolean
}

/** The data of a run from which shares are estimated. */
export interface CollectedRun {
  readonly rowCount: number
  readonly answeredCount: number
  /** The number of answered rows with at least one label. */
  readonly labelledCount: number
  readonly hasGroups: boolean
  readonly questions: ReadonlyMap<string, CollectedQuestion>
}

/** Creates a collector of a run: `add` takes its records in order, `finish` returns what they contain. */
export const createShareCollector = () => {
  const questions = new Map<string, CollectedQuestion>()
  let rowCount = 0
  let answeredCount = 0
  let labelledCount = 0
  let hasGroups = false

  /** Adds a record. Returns its fault, if any. Ignores repetitions of a row. */
  const add = ({ record }: LabelledRecord): string | undefined => {
    if (isRepetition(record)) return undefined
    rowCount++
    hasGroups ||= groupOf(record) !== undefined
    if (!isAnswered(record.outcome)) return undefined
    // Null means that the row was chosen, and not drawn at random. In a row that is not from a sample, `p` is `undefined`.
    if (record.p === null) return notDrawnByChanceFault
    answeredCount++
    if (record.labels.size > 0) labelledCount++
    return addAnswers(questions, record, record.outcome.answers)
  }
  return {
    add,
    finish: (): CollectedRun => ({ rowCount, answeredCount, labelledCount, hasGroups, questions }),
  }
}

const addAnswers = (
  questions: Map<string, CollectedQuestion>,
  record: RunRecord,
  answers: Answered['answers'],
): string | undefined => {
  for (const [id, answer] of answers) {
    const fault = isKnown(answer) ? addAnswer(questions, id, answer, record) : undefined
    if (fault !== undefined) return fault
  }
  return undefined
}

const addAnswer = (
  questions: Map<string, CollectedQuestion>,
  id: string,
  answer: KnownAnswer,
  record: RunRecord,
): string | undefined => {
  const question = questions.get(id) ?? createQuestion(answer.type)
  questions.set(id, question)
  if (question.type !== answer.type)
    return `answers.${id}: is a ${answer.type} answer, but earlier lines have a ${question.type} answer`
  const recordLabel = record.labels.get(id)
  const label = recordLabel === undefined ? undefined : decisionByLabel(answer.type, recordLabel)
  if (recordLabel !== undefined && label === undefined)
    return `labels.${id}: ${JSON.stringify(recordLabel)} is not a label of a ${answer.type}`
  if (distributionOf(answer).length === 0) question.lacksProbabilities = true
  question.rows.push({
    probabilities: listByColumn(answer, question.columns),
    score: answer.type === 'score' ? answer.score : undefined,
    label,
    // A `p` of null was refused before.
    drawProbability: record.p ?? undefined,
  })
  return undefined
}

const createQuestion = (type: KnownAnswer['type']): CollectedQuestion => ({
  type,
  rows: [],
  columns: new Map(type === 'noul' ? [['yes', 0]] : []),
  lacksProbabilities: false,
})

/** Lists the probabilities of an answer by the index of their label. Adds each new label to `columns`, except the `no` of a noul. */
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
const resolveProbabilities = (answer: KnownAnswer): Probabilities => {
  const distribution = distributionOf(answer)
  if (distribution.length > 0) return distribution
  const decision = decisionOf(answer)
  return decision === undefined ? [] : [[decision, 1]]
}
