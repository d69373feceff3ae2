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
import type { AnswerCounts } from '../rows/answer-counts'

/** The rows with a label. The lists have an entry for each of them. */
interface LabelledShareRows {
  /** The positions of the rows in the lists of `CollectedQuestion`. */
  readonly positions: ReadonlyArray<number>
  /** The label that a person gave to each row, as its index in `labels`. */
  readonly labelIndexes: ReadonlyArray<number>
  /** The labels that people gave: `yes` or `no`, labels, or indexes of levels. */
  readonly labels: ReadonlyArray<string>
  /** The probability with which each row was drawn for labelling; 0 if it was not drawn. */
  readonly drawProbabilities: ReadonlyArray<number>
}

/**
 * The answers to one question. The share of a label is the part of all rows that has it. The lists have a number for each answer: an
 * object for each answer would take many times the memory.
 */
export interface CollectedQuestion {
  readonly type: KnownAnswer['type']
  readonly answerCounts: AnswerCounts
  /**
   * The probability of each label. In an answer without probabilities, the label that it decides for has 1. The labels are in the
   * order in which answers first list them. A noul (a yes/no question) has only the label `yes`.
   */
  readonly probabilities: ReadonlyMap<string, ReadonlyArray<number>>
  /** The score of each answer; empty unless the type is `score`. */
  readonly scores: ReadonlyArray<number>
  readonly labelled: LabelledShareRows
  /** The number of drawn rows, labelled or not, by the probability with which they were drawn. */
  readonly drawnCounts: ReadonlyMap<number, number>
  /** `true` if any answer has no probabilities. */
  readonly lacksProbabilities: boolean
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
  const questions = new Map<string, QuestionCollector>()
  /** The number of refusals by question. */
  const refusedCounts = new Map<string, number>()
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
    return addAnswers(record, record.outcome.answers)
  }

  const addAnswers = (record: RunRecord, answers: Answered['answers']): string | undefined => {
    for (const [id, answer] of answers) {
      if (answer.type === 'refusal') refusedCounts.set(id, (refusedCounts.get(id) ?? 0) + 1)
      if (!isKnown(answer)) continue
      const question = questions.get(id) ?? new QuestionCollector(answer.type)
      questions.set(id, question)
      const fault = question.add(id, answer, record)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  const finish = (): CollectedRun => {
    const failedCount = rowCount - answeredCount
    const collected = new Map<string, CollectedQuestion>()
    for (const [id, question] of questions) {
      const refusedCount = refusedCounts.get(id) ?? 0
      collected.set(id, question.finish({ rowCount, failedCount, refusedCount }))
    }
    return { rowCount, answeredCount, labelledCount, hasGroups, questions: collected }
  }
  return { add, finish }
}

/** Collects the answers to one question. */
class QuestionCollector {
  private readonly probabilities = new Map<string, number[]>()
  private readonly scores: number[] = []
  private readonly positions: number[] = []
  private readonly labelIndexes: number[] = []
  /** The index of each label that a person gave. */
  private readonly indexOfLabel = new Map<string, number>()
  private readonly drawProbabilities: number[] = []
  private readonly drawnCounts = new Map<number, number>()
  private lacksProbabilities = false
  private answeredCount = 0

  constructor(private readonly type: KnownAnswer['type']) {
    if (type === 'noul') this.probabilities.set('yes', [])
  }

  /** Adds an answer with its label. Returns a fault of the answer or the label, if any. */
  add(id: string, answer: KnownAnswer, record: RunRecord): string | undefined {
    if (this.type !== answer.type)
      return `answers.${id}: is a ${answer.type} answer, but earlier lines have a ${this.type} answer`
    const recordLabel = record.labels.get(id)
    const label = recordLabel === undefined ? undefined : decisionByLabel(answer.type, recordLabel)
    if (recordLabel !== undefined && label === undefined)
      return `labels.${id}: ${JSON.stringify(recordLabel)} is not a label of a ${answer.type}`
    this.addProbabilities(answer)
    if (answer.type === 'score') this.scores.push(answer.score)
    // A `p` of null was refused before.
    const drawProbability = record.p ?? undefined
    if (drawProbability !== undefined)
      this.drawnCounts.set(drawProbability, (this.drawnCounts.get(drawProbability) ?? 0) + 1)
    if (label !== undefined) this.addLabel(label, drawProbability)
    this.answeredCount++
    return undefined
  }

  private addLabel(label: string, drawProbability = 0): void {
    const labelIndex = this.indexOfLabel.get(label) ?? this.indexOfLabel.size
    this.indexOfLabel.set(label, labelIndex)
    this.positions.push(this.answeredCount)
    this.labelIndexes.push(labelIndex)
    this.drawProbabilities.push(drawProbability)
  }

  finish(counts: Omit<AnswerCounts, 'answeredCount'>): CollectedQuestion {
    const { type, answeredCount, probabilities, positions, labelIndexes, drawProbabilities } = this
    const labels = [...this.indexOfLabel.keys()]
    // A label that the last answers do not list lacks their zeros.
    for (const list of probabilities.values()) fillWithZeros(list, answeredCount)
    return {
      type,
      answerCounts: { ...counts, answeredCount },
      probabilities,
      scores: this.scores,
      labelled: { positions, labelIndexes, labels, drawProbabilities },
      drawnCounts: this.drawnCounts,
      lacksProbabilities: this.lacksProbabilities,
    }
  }

  /** Adds the probabilities of an answer, except that of the `no` of a noul. If it has none, its decision gets the probability 1. */
  private addProbabilities(answer: KnownAnswer): void {
    const distribution = distributionOf(answer)
    if (distribution.length === 0) this.lacksProbabilities = true
    for (const [label, probability] of distribution.length > 0 ? distribution : decideFor(answer)) {
      if (answer.type === 'noul' && label !== 'yes') continue
      const list = this.probabilities.get(label) ?? []
      this.probabilities.set(label, list)
      // An answer that lists a label twice keeps the last probability.
      list.length = Math.min(list.length, this.answeredCount)
      fillWithZeros(list, this.answeredCount)
      list.push(probability)
    }
  }
}

/** Adds zeros to a list until it has `length` numbers. */
const fillWithZeros = (list: number[], length: number): void => {
  while (list.length < length) list.push(0)
}

/** Returns the probability 1 for the decision of an answer. Empty for a score without probabilities, which decides nothing. */
const decideFor = (answer: KnownAnswer): Probabilities => {
  const decision = decisionOf(answer)
  return decision === undefined ? [] : [[decision, 1]]
}
