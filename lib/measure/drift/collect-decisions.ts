import * as E from 'fp-ts/Either'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { AnswerReader, type ComparedAnswer, probabilityIn } from '../compare/compared-answer'
import { groupOf, isRepetition, notDrawnByChanceFault, weightOf } from '../labels/labelled-record'

/** The decisions of one run about one question. */
export class RunDecisions {
  /** The number of answers with a decision, refusals included. */
  count = 0
  /** The number of answers without a decision: scores without probabilities. */
  undecidedCount = 0
  /** The number of rows with each decision. */
  readonly counts = new Map<string, number>()
  /** The weight of the rows with each decision. */
  readonly weights = new Map<string, number>()
  totalWeight = 0
  private totalSquaredWeight = 0
  isGrouped = false
  private weightedYes = 0
  private weightOfNouls = 0

  add(answer: ComparedAnswer, record: RunRecord): void {
    const { decision } = answer
    if (decision === undefined) {
      this.undecidedCount++
      return
    }
    const weight = weightOf(record)
    this.count++
    this.counts.set(decision, (this.counts.get(decision) ?? 0) + 1)
    this.weights.set(decision, (this.weights.get(decision) ?? 0) + weight)
    this.totalWeight += weight
    this.totalSquaredWeight += weight * weight
    this.isGrouped ||= groupOf(record) !== undefined
    if (answer.type === 'noul') {
      this.weightedYes += weight * probabilityIn(answer, 'yes')
      this.weightOfNouls += weight
    }
  }

  /** Returns the share of the weight with a decision; 0 if there are no answers. */
  shareOf(decision: string): number {
    return this.count === 0 ? 0 : (this.weights.get(decision) ?? 0) / this.totalWeight
  }

  /** Computes Kish's effective number of answers. */
  effectiveSize(): number {
    return this.count === 0 ? 0 : this.totalWeight ** 2 / this.totalSquaredWeight
  }

  hasUnequalWeights(): boolean {
    return Math.abs(this.effectiveSize() - this.count) > 1e-9 * this.count
  }

  /** Computes the mean probability of yes over the yes/no answers; null if there are none. */
  meanYes(): number | null {
    return this.weightOfNouls === 0 ? null : this.weightedYes / this.weightOfNouls
  }
}

/** The decisions of both runs about one question. */
export interface QuestionDecisions {
  /** The type of the answers; `refusal` if all are refusals. */
  type: ComparedAnswer['type']
  /** The labels that answers list, in the order of first appearance. */
  readonly labels: Set<string>
  readonly a: RunDecisions
  readonly b: RunDecisions
}

/** A run of `svc compare --unpaired`: `a` is the one before. */
export type UnpairedRun = 'a' | 'b'

/** Collects the decisions of two runs whose rows need not be the same. */
export class DecisionCollector {
  private readonly reader = new AnswerReader()
  private readonly byQuestion = new Map<string, QuestionDecisions>()
  private readonly questionDigests = { a: new Set<string>(), b: new Set<string>() }
  readonly rowCounts = { a: 0, b: 0 }
  readonly answeredCounts = { a: 0, b: 0 }

  /** Adds a record. Returns a text if the record is invalid. Only the first answer counts of a row with repetitions. */
  add(run: UnpairedRun, record: RunRecord): string | undefined {
    if (isRepetition(record)) return undefined
    this.rowCounts[run]++
    const { outcome, questionsSha256, p } = record
    if (!isAnswered(outcome)) return undefined
    if (p === null) return notDrawnByChanceFault
    this.answeredCounts[run]++
    if (questionsSha256 !== undefined) this.questionDigests[run].add(questionsSha256)
    for (const [id, answer] of outcome.answers) {
      // Labels are not compared, so the reader gets none.
      const read = this.reader.read(id, answer, undefined)
      if (E.isLeft(read)) return read.left
      if (read.right === undefined) continue
      const fault = this.addAnswer(run, read.right, record)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  /** Returns the questions that both runs answered, by id, in the order of first appearance. */
  commonQuestions(): ReadonlyMap<string, QuestionDecisions> {
    return new Map([...this.byQuestion].filter(([, { a, b }]) => isAsked(a) && isAsked(b)))
  }

  /** Explains how the questions of both runs differ; `undefined` if they don't. */
  explainOtherQuestions(): string | undefined {
    const single = [...this.byQuestion].filter(([, { a, b }]) => !isAsked(a) || !isAsked(b))
    const [first] = single
    if (first !== undefined) {
      const [id, { a }] = first
      const more = single.length === 1 ? '' : ` and ${single.length - 1} more`
      return `only one run has the question ${JSON.stringify(id)}${more}: it is not in ${isAsked(a) ? 'b' : 'a'}`
    }
    const { a, b } = this.questionDigests
    const isEqual = a.size === b.size && [...a].every((digest) => b.has(digest))
    return isEqual ? undefined : 'the questions of the runs differ, but not their ids'
  }

  private addAnswer(
    run: UnpairedRun,
    answer: ComparedAnswer,
    record: RunRecord,
  ): string | undefined {
    const { question, type } = answer
    const decisions = this.byQuestion.get(question) ?? {
      type: 'refusal',
      labels: new Set(),
      a: new RunDecisions(),
      b: new RunDecisions(),
    }
    this.byQuestion.set(question, decisions)
    if (type !== 'refusal') {
      if (decisions.type !== 'refusal' && decisions.type !== type)
        return `answers.${question}: is a ${type} answer, and a ${decisions.type} answer in an earlier record`
      decisions.type = type
    }
    for (const label of answer.labels) decisions.labels.add(label)
    decisions[run].add(answer, record)
    return undefined
  }
}

const isAsked = ({ count, undecidedCount }: RunDecisions): boolean => count + undecidedCount > 0
