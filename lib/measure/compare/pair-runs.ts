import type { RunRecord } from '../../runs/record/decode'
import { isAnswered } from '../../runs/record/outcome'
import { nothingToSay } from '../labels/labelled-record'
import { groupOf, idOf, Names } from '../record-names'
import { type HeldAnswer, type HeldAnswers, HeldRun } from './held-run'
import { QuestionPairs } from './question-pairs'
import { keyOf, nameDecision, readAnswer, Vocabulary } from './read-answers'

/** The result of comparing two runs. */
export interface Compared {
  readonly rows: { readonly a: number; readonly b: number }
  /** The number of rows of `a` that are in `b`, answered or not. */
  readonly met: number
  /** The number of pairs of answered rows. */
  readonly paired: number
  readonly models: { readonly a: ReadonlyArray<string>; readonly b: ReadonlyArray<string> }
  /** The questions by id, in the order of first appearance. */
  readonly questions: ReadonlyMap<string, ComparedQuestion>
}

/** The pairs of answers to one question, and the noise of each run. */
export interface ComparedQuestion {
  readonly pairs: QuestionPairs
  readonly noise: { readonly a: number | null; readonly b: number | null }
}

/**
 * Pairs the rows of two runs. All records of `b` are taken first and kept as numbers, then those of `a`, whose
 * labels, weights, groups, indexes and ids are used. Both `take` methods return the fault of a record, if any.
 */
export class Comparison {
  private readonly words = new Vocabulary()
  private readonly held = new HeldRun()
  private readonly pairs: QuestionPairs[] = []
  private readonly groups = new Names()
  private readonly idsOfA = new Set<string>()
  private readonly noise = { a: new Noise(), b: new Noise() }
  private readonly models = { a: new Set<string>(), b: new Set<string>() }
  private readonly rows = { a: 0, b: 0 }
  private met = 0
  private paired = 0

  constructor(private readonly byId: boolean) {}

  addB(record: RunRecord): string | undefined {
    return this.take('b', record, (key, answers) =>
      this.held.add(key, answers) && this.byId ? sayTwice(record) : undefined,
    )
  }

  addA(record: RunRecord): string | undefined {
    return this.take('a', record, (key, answers) => {
      if (this.byId && key !== undefined) {
        if (this.idsOfA.has(key)) return sayTwice(record)
        this.idsOfA.add(key)
      }
      const other = key === undefined ? undefined : this.held.take(key)
      if (other !== undefined) this.met++
      if (answers !== undefined && other?.answers !== undefined) this.paired++
      return this.pair(record, answers ?? [], other?.answers ?? [])
    })
  }

  finish(): Compared {
    for (const answers of this.held.left())
      for (const answer of answers ?? []) this.pairsOf(answer).unpaired.b++
    const questions = this.words.questions.list.flatMap((id, place) => {
      const pairs = this.pairs[place]
      const noise = { a: this.noise.a.of(place), b: this.noise.b.of(place) }
      return pairs === undefined ? [] : [[id, { pairs, noise }] as const]
    })
    return {
      rows: this.rows,
      met: this.met,
      paired: this.paired,
      models: { a: [...this.models.a], b: [...this.models.b] },
      questions: new Map(questions),
    }
  }

  private take(
    side: 'a' | 'b',
    record: RunRecord,
    use: (key: string | undefined, answers: HeldAnswers) => string | undefined,
  ): string | undefined {
    const isRepeat = (record.run ?? 0) > 0
    if (!isRepeat) this.rows[side]++
    const answers = this.read(record, side)
    if (typeof answers === 'string') return answers
    if (isRepeat) {
      this.noise[side].repeat(record.index, answers ?? [])
      return undefined
    }
    this.noise[side].begin(record.index, answers ?? [])
    return use(keyOf(record, this.byId), answers)
  }

  /** Reads the answers of a record as numbers; `undefined` if it was not answered. Returns its fault as a text. */
  private read({ outcome, labels, p }: RunRecord, side: 'a' | 'b'): HeldAnswers | string {
    if (!isAnswered(outcome)) return undefined
    if (p === null) return nothingToSay
    this.models[side].add(outcome.model)
    const answers: HeldAnswer[] = []
    for (const [id, answer] of outcome.answers) {
      const held = readAnswer(id, answer, labels.get(id), this.words)
      if (held === undefined) continue
      if (typeof held === 'string') return held
      answers.push(held)
    }
    return answers
  }

  private pair(
    record: RunRecord,
    a: ReadonlyArray<HeldAnswer>,
    b: ReadonlyArray<HeldAnswer>,
  ): string | undefined {
    const name = groupOf(record)
    const group = name === undefined ? -1 : this.groups.placeOf(name)
    for (const answer of a) {
      const { question, type } = answer.shape
      const other = b.find(({ shape }) => shape.question === question)
      const pairs = this.pairsOf(answer)
      const id = this.words.questions.list[question]
      if (other === undefined) {
        pairs.unpaired.a++
        continue
      }
      if (!isRefused(answer) && !isRefused(other) && other.shape.type !== type)
        return `answers.${id}: is a ${type} answer, in the other run a ${other.shape.type} answer`
      if (answer.truth >= 0 && other.truth >= 0 && answer.truth !== other.truth)
        return `labels.${id}: differs from the label in the other run`
      this.pairsOf(other).add(answer, other, {
        group,
        weight: 1 / (record.p ?? 1),
        flip: () => {
          const labels = this.words.labelsOf(question).list
          const name = (decided: number) => nameDecision(labels[decided] as string)
          return {
            index: record.index,
            id: record.id,
            a: name(answer.decided),
            b: name(other.decided),
          }
        },
      })
    }
    const inA = new Set(a.map(({ shape }) => shape.question))
    for (const answer of b) if (!inA.has(answer.shape.question)) this.pairsOf(answer).unpaired.b++
    return undefined
  }

  /** The pairs of an answer's question. Their type is that of the first answer that is no refusal. */
  private pairsOf({ shape: { question, type } }: HeldAnswer): QuestionPairs {
    let pairs = this.pairs[question]
    if (pairs === undefined) {
      pairs = new QuestionPairs(this.words.labelsOf(question).list)
      this.pairs[question] = pairs
    }
    if (type !== 'refusal') pairs.type ??= type
    return pairs
  }
}

const isRefused = ({ shape }: HeldAnswer): boolean => shape.type === 'refusal'

const sayTwice = (record: RunRecord): string => `id ${JSON.stringify(idOf(record))} is there twice`

/** Counts how often repetitions of a row decide otherwise than its first answer. */
class Noise {
  private index = -1
  private first: ReadonlyArray<HeldAnswer> = []
  private readonly counts = new Map<number, { repeats: number; otherwise: number }>()

  /** Begins a row with its first answers. Its repetitions follow. */
  begin(index: number, answers: ReadonlyArray<HeldAnswer>): void {
    this.index = index
    this.first = answers
  }

  /** Adds a repetition. One that does not follow the first answer of its row is ignored. */
  repeat(index: number, answers: ReadonlyArray<HeldAnswer>): void {
    if (index !== this.index) return
    const decisions = new Map(this.first.map(({ shape, decided }) => [shape.question, decided]))
    for (const { shape, decided } of answers) {
      const first = decisions.get(shape.question)
      if (first === undefined) continue
      const count = this.counts.get(shape.question) ?? { repeats: 0, otherwise: 0 }
      count.repeats++
      if (decided !== first) count.otherwise++
      this.counts.set(shape.question, count)
    }
  }

  /** Returns the share of a question's repetitions with another decision; null if there are none. */
  of(question: number): number | null {
    const count = this.counts.get(question)
    return count === undefined ? null : count.otherwise / count.repeats
  }
}
