import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { notDrawnByChance } from '../labels/labelled-record'
import { groupOf, idOf, NameIndexes } from '../record-names'
import { createPairKey, PendingRows } from '../rows/pending-rows'
import { AnswerReader, type ComparedAnswer, nameDecision } from './compared-answer'
import { NoiseCounter } from './noise'
import { QuestionPairs } from './question-pairs'

/** The result of pairing two runs. */
export interface PairedRuns {
  /** The number of rows of each run. */
  readonly rowCounts: { readonly a: number; readonly b: number }
  /** The number of rows that are in both runs, answered or not. */
  readonly rowsInBoth: number
  /** The number of rows that are answered in both runs. */
  readonly pairedRowCount: number
  readonly models: { readonly a: ReadonlyArray<string>; readonly b: ReadonlyArray<string> }
  /** The questions by id, in the order of first appearance. */
  readonly questions: ReadonlyMap<string, PairedQuestion>
}

/** The pairs of answers to one question, and the noise of each run. */
export interface PairedQuestion {
  readonly pairs: QuestionPairs
  /** The share of repetitions with another decision than the first answer; null without repetitions. */
  readonly noise: { readonly a: number | null; readonly b: number | null }
}

/** The answers to a row; null if the row was not answered. */
type RowAnswers = ReadonlyArray<ComparedAnswer> | null

/**
 * Pairs the rows of two runs. Add all records of `b` first, then those of `a`. Labels, weights, groups, indexes and ids are those
 * of `a`. Both `add` methods return a text if a record is invalid.
 */
export class RunPairing {
  private readonly reader = new AnswerReader()
  /** The rows of b that are not paired yet. */
  private readonly pendingRows = new PendingRows<RowAnswers>()
  private readonly pairsByQuestion = new Map<string, QuestionPairs>()
  private readonly groups = new NameIndexes()
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
    const answers = this.addRow('b', record)
    if (typeof answers === 'string' || answers === undefined) return answers
    const isKnownKey = this.pendingRows.add(createPairKey(record, this.byId), answers)
    // Ids must be unique in a run. Rows with equal digests are paired in their order.
    return isKnownKey && this.byId ? describeDuplicate(record) : undefined
  }

  /** Adds a record of a, and pairs its row with the row of b that has the same key. */
  addA(record: RunRecord): string | undefined {
    const answers = this.addRow('a', record)
    if (typeof answers === 'string' || answers === undefined) return answers
    const key = createPairKey(record, this.byId)
    if (this.byId && key !== undefined) {
      if (this.idsOfA.has(key)) return describeDuplicate(record)
      this.idsOfA.add(key)
    }
    const partner = this.pendingRows.take(key)
    if (partner !== undefined) this.rowsInBoth++
    const isAnsweredInBoth = answers !== null && partner !== undefined && partner !== null
    if (isAnsweredInBoth) this.pairedRowCount++
    return this.pairRows(record, answers ?? [], partner ?? [])
  }

  /** Returns the pairs. The rows of b that were not paired count as unpaired. */
  finish(): PairedRuns {
    for (const answers of this.pendingRows.remaining())
      for (const answer of answers ?? []) this.pairsOf(answer).unpaired.b++
    const questions = new Map<string, PairedQuestion>()
    for (const id of this.reader.ids()) {
      const pairs = this.pairsByQuestion.get(id)
      const noise = { a: this.noise.a.shareOf(id), b: this.noise.b.shareOf(id) }
      if (pairs !== undefined) questions.set(id, { pairs, noise })
    }
    return {
      rowCounts: this.rowCounts,
      rowsInBoth: this.rowsInBoth,
      pairedRowCount: this.pairedRowCount,
      models: { a: [...this.models.a], b: [...this.models.b] },
      questions,
    }
  }

  /** Counts a record. Returns its answers, `undefined` for a repetition of a row, or a fault as a text. */
  private addRow(side: 'a' | 'b', record: RunRecord): RowAnswers | undefined | string {
    const isRepeat = (record.run ?? 0) > 0
    if (!isRepeat) this.rowCounts[side]++
    const answers = this.readAnswers(side, record)
    if (typeof answers === 'string') return answers
    if (isRepeat) this.noise[side].addRepeat(record.index, answers ?? [])
    else this.noise[side].startRow(record.index, answers ?? [])
    return isRepeat ? undefined : answers
  }

  /** Reads the answers of a record; null if it was not answered. Returns a fault as a text. */
  private readAnswers(side: 'a' | 'b', { outcome, labels, p }: RunRecord): RowAnswers | string {
    if (!isAnswered(outcome)) return null
    if (p === null) return notDrawnByChance
    this.models[side].add(outcome.model)
    const answers: ComparedAnswer[] = []
    for (const [id, answer] of outcome.answers) {
      const compared = this.reader.read(id, answer, labels.get(id))
      if (typeof compared === 'string') return compared
      if (compared !== undefined) answers.push(compared)
    }
    return answers
  }

  /** Pairs the answers of both runs to a row, question by question. `record` is that of a. Returns a fault as a text, if any. */
  private pairRows(
    record: RunRecord,
    answersOfA: ReadonlyArray<ComparedAnswer>,
    answersOfB: ReadonlyArray<ComparedAnswer>,
  ): string | undefined {
    const name = groupOf(record)
    const noGroup = -1
    const group = name === undefined ? noGroup : this.groups.indexOf(name)
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
      this.pairsOf(b).add(a, b, {
        group,
        weight: 1 / (record.p ?? 1),
        createFlip: (decisionOfA, decisionOfB) => ({
          index: record.index,
          id: record.id,
          a: nameDecision(decisionOfA),
          b: nameDecision(decisionOfB),
        }),
      })
    }
    const questionsOfA = new Set(answersOfA.map(({ question }) => question))
    for (const b of answersOfB) {
      if (!questionsOfA.has(b.question)) this.pairsOf(b).unpaired.b++
    }
    return undefined
  }

  /** Returns the pairs of an answer's question. Their type is that of the first answer that is no refusal. */
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
  if (a.truth !== undefined && b.truth !== undefined && a.truth !== b.truth)
    return `labels.${a.question}: differs from the label in the other run`
  return undefined
}

const describeDuplicate = (record: RunRecord): string =>
  `an earlier row has the same id ${JSON.stringify(idOf(record))}`
