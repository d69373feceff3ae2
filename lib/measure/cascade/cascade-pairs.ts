import type { Answer } from '../../codec/answer'
import { findTopAndMargin } from '../../codec/probabilities'
import type { QuestionType } from '../../runs/policy/policy'
import type { RunRecord } from '../../runs/record/decode'
import { type Answered, isAnswered } from '../../runs/record/outcome'
import type { RecordedUsage } from '../../runs/record/record'
import { decisionByLabel, decisionOf, distributionOf, isKnown, nameLabel } from '../decision'
import {
  GroupIndexes,
  isRepetition,
  type LabelledRecord,
  notDrawnByChanceFault,
  weightOf,
} from '../labels/labelled-record'
import { createDigestKey, PendingRows } from '../rows/pending-rows'

/** The answers of a cheap and an expensive run to one question about one row. */
export interface AnswerPair {
  /** The index of the row in `CascadePairs.usages`. */
  readonly row: number
  /** `true` if the cheap model refused the question. */
  readonly isRefusal: boolean
  /** The largest probability in the cheap answer; 0 for a refusal or an answer without probabilities. */
  readonly topProbability: number
  /** `true` for each answer that is right; `undefined` without a label. A refusal is never right. */
  readonly right: { readonly cheap: boolean; readonly expensive: boolean } | undefined
  /** The number of rows of the run that the row represents. */
  readonly weight: number
  /** The index of the row's group; −1 for none. */
  readonly group: number
}

/** The pairs of answers to one question. */
export interface PairedQuestion {
  readonly type: QuestionType
  readonly pairs: AnswerPair[]
}

/** The tokens of both responses about a row. */
interface PairUsage {
  readonly cheap: RecordedUsage
  readonly expensive: RecordedUsage
}

/** A cheap and an expensive run, paired row by row. */
export interface CascadePairs {
  readonly usages: ReadonlyArray<PairUsage>
  /** The number of rows of the cheap run that failed. They are not paired. */
  readonly failedRowCount: number
  readonly questions: ReadonlyMap<string, PairedQuestion>
  /** The digests of the sets of questions in the cheap run. */
  readonly questionsSha256: ReadonlySet<string>
  readonly models: ReadonlySet<string>
}

/** A row of the expensive run, which waits for its partner in the cheap run. */
interface ExpensiveRow {
  /** The decision about each question, such as a label, by the question's id. `undefined` for an answer that decides nothing. */
  readonly decisions: ReadonlyMap<string, string | undefined>
  readonly usage: RecordedUsage
}

/** The type of a question, and the run whose answer showed it first. */
interface SeenType {
  readonly type: QuestionType
  readonly isCheap: boolean
}

/**
 * Pairs the rows of a cheap and an expensive run that have the same state and questions. Add all records of the expensive run
 * first, then those of the cheap one with their labels. Ignores rows without an answer, and all records of a row but the first.
 */
export class CascadePairing {
  private readonly pendingRows = new PendingRows<ExpensiveRow>()
  private readonly usages: PairUsage[] = []
  private readonly pairsByQuestion = new Map<string, AnswerPair[]>()
  /** The type of each question that either run answers. A refusal does not show the type. */
  private readonly types = new Map<string, SeenType>()
  private readonly groups = new GroupIndexes()
  private readonly questionsSha256 = new Set<string>()
  private readonly models = new Set<string>()
  private failedRowCount = 0

  /** Adds a record of the expensive run. Returns a fault of its answers, if any. */
  addExpensive(record: RunRecord): string | undefined {
    const key = createDigestKey(record)
    const { outcome } = record
    if (key === undefined || isRepetition(record) || !isAnswered(outcome)) return undefined
    const fault = this.checkTypes(outcome.answers, false)
    if (fault !== undefined) return fault
    const decisions = new Map<string, string | undefined>()
    for (const [id, answer] of outcome.answers)
      if (answer.type !== 'other') decisions.set(id, decide(answer))
    this.pendingRows.add(key, { decisions, usage: outcome.usage })
    return undefined
  }

  /** Adds a record of the cheap run. Returns a fault of its answers or labels, if any. */
  addCheap({ record }: LabelledRecord): string | undefined {
    const key = createDigestKey(record)
    const { outcome, questionsSha256 } = record
    if (isRepetition(record)) return undefined
    if (!isAnswered(outcome)) {
      this.failedRowCount++
      return undefined
    }
    if (key === undefined) return undefined
    // Null means that the row was chosen, and not drawn at random. In a row that is not from a sample, `p` is `undefined`.
    if (record.p === null) return notDrawnByChanceFault
    const fault = this.checkTypes(outcome.answers, true)
    if (fault !== undefined) return fault
    const partner = this.pendingRows.take(key)
    if (partner === undefined) return undefined
    this.models.add(outcome.model)
    if (questionsSha256 !== undefined) this.questionsSha256.add(questionsSha256)
    // `push` returns the new length, so the index of the row is one less.
    const row = this.usages.push({ cheap: outcome.usage, expensive: partner.usage }) - 1
    return this.pairAnswers(row, record, outcome.answers, partner.decisions)
  }

  /** Returns the pairs. Leaves out a question that both runs only refused. */
  finish(): CascadePairs {
    const { usages, failedRowCount, pairsByQuestion, questionsSha256, models } = this
    const questions = new Map<string, PairedQuestion>()
    for (const [id, pairs] of pairsByQuestion) {
      const seen = this.types.get(id)
      if (seen !== undefined) questions.set(id, { type: seen.type, pairs })
    }
    return { usages, failedRowCount, questions, questionsSha256, models }
  }

  /** Stores the types of new questions. Returns a fault if an answer has another type than earlier ones to the question. */
  private checkTypes(answers: Answered['answers'], isCheap: boolean): string | undefined {
    for (const [id, answer] of answers) {
      if (!isKnown(answer)) continue
      const seen = this.types.get(id) ?? { type: answer.type, isCheap }
      this.types.set(id, seen)
      if (answer.type === seen.type) continue
      const place = seen.isCheap === isCheap ? 'but earlier lines have' : 'in the other run'
      return `answers.${id}: is a ${answer.type} answer, ${place} a ${seen.type} answer`
    }
    return undefined
  }

  /** Pairs the answers to the questions that both runs answered. Returns a fault of a label, if any. */
  private pairAnswers(
    row: number,
    record: RunRecord,
    answers: Answered['answers'],
    expensiveDecisions: ExpensiveRow['decisions'],
  ): string | undefined {
    const weight = weightOf(record)
    const group = this.groups.indexOf(record)
    for (const [id, answer] of answers) {
      if (answer.type === 'other' || !expensiveDecisions.has(id)) continue
      const label = record.labels.get(id)
      if (
        label !== undefined &&
        isKnown(answer) &&
        decisionByLabel(answer.type, label) === undefined
      )
        return `labels.${id}: does not fit a ${answer.type} answer`
      const truth = label === undefined ? undefined : nameLabel(label)
      const right =
        truth === undefined
          ? undefined
          : { cheap: decide(answer) === truth, expensive: expensiveDecisions.get(id) === truth }
      const pairs = this.pairsByQuestion.get(id) ?? []
      this.pairsByQuestion.set(id, pairs)
      const isRefusal = answer.type === 'refusal'
      const topProbability = measureTopProbability(answer)
      pairs.push({ row, isRefusal, topProbability, right, weight, group })
    }
    return undefined
  }
}

/** Returns the decision of an answer; `undefined` for a refusal or a score without probabilities. */
const decide = (answer: Answer): string | undefined =>
  isKnown(answer) ? decisionOf(answer) : undefined

/** Returns the largest probability, rounded to 12 decimals because 1 − 0.9 and 0.1 differ by a rounding error. */
const measureTopProbability = (answer: Answer): number => {
  const top = isKnown(answer) ? (findTopAndMargin(distributionOf(answer))?.top ?? 0) : 0
  return Math.round(top * 1e12) / 1e12
}
