import * as E from 'fp-ts/Either'
import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import {
  GroupIndexes,
  idOf,
  isRepetition,
  notDrawnByChanceFault,
  weightOf,
} from '../labels/labelled-record'
import { createDigestKey, createIdKey, PendingRows } from '../rows/pending-rows'
import { AnswerReader, type ComparedAnswer, nameDecision } from './compared-answer'
import { NoiseCounter } from './noise'
import { QuestionPairs } from './question-pairs'

/** The result of pairing two runs. */
export interface ComparedRuns {
  readonly rowCounts: { readonly a: number; readonly b: number }
  /** The number of rows that are in both runs, answered or not. */
  readonly rowsInBoth: number
  /** The number of rows that are answered in both runs. */
  readonly pairedRowCount: number
  readonly models: { readonly a: ReadonlyArray<string>; readonly b: ReadonlyArray<string> }
  /** The questions by id, in the order of first appearance. */
  readonly questions: ReadonlyMap<string, ComparedQuestion>
}

/** The pairs of answers to one question, and the noise of each run. */
export interface ComparedQuestion {
  readonly pairs: QuestionPairs
  /** The share of repetitions with another decision than the first answer; null without repetitions. */
  readonly noise: { readonly a: number | null; readonly b: number | null }
}

/** The answers to a row; null if the row was not answered. */
type RowAnswers = ReadonlyArray<ComparedAnswer> | null

/**
 * Pairs the rows of two runs, a and b. Add all records of b first, then those of a. Labels, weights, groups, indexes and ids are those
 * of a. Both `add` methods return a text if a record is invalid.
 */
export class RunPairing {
  private readonly reader = new AnswerReader()
  /** The rows of b that are not paired yet. */
  private readonly pendingRows = new PendingRows<RowAnswers>()
  private readonly pairsByQuestion = new Map<string, QuestionPairs>()
  private readonly groups = new GroupIndexes()
  private readonly idsOfA = new Set<string>()
  private readonly noise = { a: new NoiseCounter(), b: new NoiseCounter() }
  private readonly models = { a: new Set<string>(), b: new Set<string>() }
  private readonly rowCounts = { a: 0, b: 0 }
  private rowsInBoth = 0
  private pairedRowCount = 0

  /** Pairs rows by their ids if `byId` is true, otherwise by the digests of their state and questions. */
  constructor(private readonly byId: boolean) {}

  /** Adds a record of b. Its row waits for a row of a with the same key. */
  addB(record: RunRecord): string | undefined {
    const answers = this.readAnswers('b', record)
    if (E.isLeft(answers)) return answers.left
    this.noise.b.add(record, answers.right ?? [])
    if (isRepetition(record)) return undefined
    this.rowCounts.b++
    const isKnownKey = this.pendingRows.add(this.keyOf(record), answers.right)
    // Ids must be unique in a run. Rows with equal digests are paired in their order.
    return isKnownKey && this.byId ? describeDuplicate(record) : undefined
  }

  /** Adds a record of a, and pairs its row with the row of b that has the same key. */
  addA(record: RunRecord): string | undefined {
    const answers = this.readAnswers('a', record)
    if (E.isLeft(answers)) return answers.left
    this.noise.a.add(record, answers.right ?? [])
    if (isRepetition(record)) return undefined
    this.rowCounts.a++
    const key = this.keyOf(record)
    if (this.byId && key !== undefined) {
      if (this.idsOfA.has(key)) return describeDuplicate(record)
      this.idsOfA.add(key)
    }
    // `undefined` means that b lacks the row, null that b did not answer it.
    const partner = this.pendingRows.take(key)
    if (partner !== undefined) this.rowsInBoth++
    const isAnsweredInBoth = answers.right !== null && partner !== undefined && partner !== null
    if (isAnsweredInBoth) this.pairedRowCount++
    return this.pairAnswers(record, answers.right ?? [], partner ?? [])
  }

  /** Returns the pairs. The rows of b that were not paired count as unpaired. */
  finish(): ComparedRuns {
    for (const answers of this.pendingRows.remaining())
      for (const answer of answers ?? []) this.pairsOf(answer).unpaired.b++
    const questions = new Map<string, ComparedQuestion>()
    for (const id of this.reader.ids()) {
      const pairs = this.pairsByQuestion.get(id)
      const noise = { a: this.noise.a.shareOf(id), b: this.noise.b.shareOf(id) }
      if (pairs !== undefined) questions.set(id, { pairs, noise })
    }
    const { rowCounts, rowsInBoth, pairedRowCount } = this
    const models = { a: [...this.models.a], b: [...this.models.b] }
    return { rowCounts, rowsInBoth, pairedRowCount, models, questions }
  }

  private keyOf(record: RunRecord): string | undefined {
    return this.byId ? createIdKey(record) : createDigestKey(record)
  }

  /** Reads the answers of a record of run a or b. Fails with a text if an answer or a label is invalid. */
  private readAnswers(
    run: 'a' | 'b',
    { outcome, labels, p }: RunRecord,
  ): E.Either<string, RowAnswers> {
    if (!isAnswered(outcome)) return E.right(null)
    if (p === null) return E.left(notDrawnByChanceFault)
    this.models[run].add(outcome.model)
    const answers: ComparedAnswer[] = []
    for (const [id, answer] of outcome.answers) {
      const compared = this.reader.read(id, answer, labels.get(id))
      if (E.isLeft(compared)) return compared
      if (compared.right !== undefined) answers.push(compared.right)
    }
    return E.right(answers)
  }

  /** Pairs the answers of both runs to a row, question by question. `record` is that of a. Returns a fault as a text, if any. */
  private pairAnswers(
    record: RunRecord,
    answersOfA: ReadonlyArray<ComparedAnswer>,
    answersOfB: ReadonlyArray<ComparedAnswer>,
  ): string | undefined {
    const row = {
      index: record.index,
      group: this.groups.indexOf(record),
      weight: weightOf(record),
    }
    const createFlip = (decisionOfA: string, decisionOfB: string) => ({
      index: record.index,
      id: record.id,
      a: nameDecision(decisionOfA),
      b: nameDecision(decisionOfB),
    })
    for (const a of answersOfA) {
      const b = answersOfB.find(({ question }) => question === a.question)
      const pairs = this.pairsOf(a)
      if (b === undefined) {
        pairs.unpaired.a++
        continue
      }
      const fault = explainPairFault(a, b)
      if (fault !== undefined) return fault
      // `pairsOf` is called for b too, because the type of the question is unknown if a is a refusal.
      this.pairsOf(b).add(a, b, { row, createFlip })
    }
    const questionsOfA = new Set(answersOfA.map(({ question }) => question))
    for (const b of answersOfB) if (!questionsOfA.has(b.question)) this.pairsOf(b).unpaired.b++
    return undefined
  }

  /** Returns the pairs of an answer's question, which are empty for a new one. Their type is that of the first answer that is no refusal. */
  private pairsOf({ question, type }: ComparedAnswer): QuestionPairs {
    const pairs = this.pairsByQuestion.get(question) ?? new QuestionPairs()
    this.pairsByQuestion.set(question, pairs)
    if (type !== 'refusal') pairs.type ??= type
    return pairs
  }
}

/** Explains why two answers cannot be paired: their types or their labels differ. Returns `undefined` if they can. */
const explainPairFault = (a: ComparedAnswer, b: ComparedAnswer): string | undefined => {
  const hasRefusal = a.type === 'refusal' || b.type === 'refusal'
  if (!hasRefusal && a.type !== b.type)
    return `answers.${a.question}: is a ${a.type} answer, in the other run a ${b.type} answer`
  return a.truth !== undefined && b.truth !== undefined && a.truth !== b.truth
    ? `labels.${a.question}: differs from the label in the other run`
    : undefined
}

const describeDuplicate = (record: RunRecord): string =>
  `an earlier row has the same id ${JSON.stringify(idOf(record))}`
