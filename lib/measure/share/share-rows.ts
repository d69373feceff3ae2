import type { Answer } from '../../codec/answer'
import type { Label, RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { decisionByLabel, decisionOf, distributionOf, isKnown, type KnownAnswer } from '../decision'
import { type LabelledRecord, notDrawnByChance } from '../labels/labelled-record'
import { groupOf } from '../record-names'

/** A row with an answer to one question, as far as shares need it. */
export interface ShareRow {
  /**
   * The probabilities of the labels, by the place that the question gives each label; 1 for the choice of an answer without
   * probabilities. A missing one is 0. (Maps would take more memory than the other figures of a large run.)
   */
  readonly probabilities: ReadonlyArray<number | undefined>
  /** The score; `undefined` for other types. */
  readonly score: number | undefined
  /** The label of a person: `yes` or `no`, a label, or the index of a level; `undefined` if there is none. */
  readonly label: string | undefined
  /** The chance with which the row was drawn; `undefined` if it was not drawn. */
  readonly p: number | undefined
}

/** The rows of one question. */
export interface ShareQuestion {
  readonly type: KnownAnswer['type']
  readonly rows: ShareRow[]
  /** The labels in the order of their first appearance, each with its place. A noul has one, `yes`. */
  readonly labels: Map<string, number>
  /** True if an answer has no probabilities. */
  lacksProbabilities: boolean
}

/** A run, as far as shares need it. */
export interface ShareRun {
  readonly rows: number
  readonly answered: number
  readonly labelled: number
  readonly hasGroups: boolean
  readonly questions: ReadonlyMap<string, ShareQuestion>
}

/** Collects the rows of a run for shares, record by record. */
export const createShareCollector = () => {
  const questions = new Map<string, ShareQuestion>()
  let rows = 0
  let answered = 0
  let labelled = 0
  let hasGroups = false

  /** Adds a record. Returns its fault, if any. Only the first of repeated answers counts. */
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
  const known = questions.get(id) ?? createQuestion(answer.type)
  questions.set(id, known)
  if (known.type !== answer.type)
    return `answers.${id}: is a ${answer.type}, but a ${known.type} before`
  const given = record.labels.get(id)
  const label = given === undefined ? undefined : decisionByLabel(answer.type, given as Label)
  if (given !== undefined && label === undefined)
    return `labels.${id}: ${JSON.stringify(given)} is no label of a ${answer.type}`
  const probabilities = placeProbabilities(answer, known.labels)
  if (distributionOf(answer).length === 0) known.lacksProbabilities = true
  const score = answer.type === 'score' ? answer.score : undefined
  known.rows.push({ probabilities, score, label, p: record.p ?? undefined })
  return undefined
}

const createQuestion = (type: KnownAnswer['type']): ShareQuestion => ({
  type,
  rows: [],
  labels: new Map(type === 'noul' ? [['yes', 0]] : []),
  lacksProbabilities: false,
})

/** Lists the probabilities of an answer by the places of their labels. Gives a place to each new label but that of a no. */
const placeProbabilities = (answer: KnownAnswer, labels: Map<string, number>): number[] => {
  const placed: number[] = []
  for (const [label, probability] of readProbabilities(answer)) {
    if (answer.type === 'noul' && label !== 'yes') continue
    const place = labels.get(label) ?? labels.size
    labels.set(label, place)
    placed[place] = probability
  }
  return placed
}

const readProbabilities = (answer: KnownAnswer): ReadonlyArray<readonly [string, number]> => {
  const distribution = distributionOf(answer)
  const decided = distribution.length === 0 ? decisionOf(answer) : undefined
  return decided === undefined ? distribution : [[decided, 1]]
}
