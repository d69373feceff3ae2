import type { KnownAnswer } from '../decision'
import { DigestIndex } from '../digest-index'
import { Column } from '../statistics/column'

/** The type of a held answer. A refusal stands in the place of an answer of any type. P9 */
export type HeldType = KnownAnswer['type'] | 'refusal'

/** An answer as numbers. Labels are numbered among those of the question; −1 means none. */
export interface HeldAnswer {
  readonly shape: Shape
  readonly decided: number
  /** The label that a person gave. */
  readonly truth: number
  /** The probabilities of the labels of the shape, in the same order. */
  readonly probabilities: ReadonlyArray<number>
}

/** What many answers have in common. */
export interface Shape {
  /** The place of this shape among all shapes. */
  readonly place: number
  readonly question: number
  readonly type: HeldType
  /** The labels that have probabilities; empty where there are none. */
  readonly labels: ReadonlyArray<number>
}

/** The shapes of all answers, each once. Answers to one question nearly always have the shape of the one before. */
export class Shapes {
  private readonly list: Shape[] = []
  private readonly known = new Map<string, Shape>()
  private readonly last = new Map<number, Shape>()

  of(question: number, type: HeldType, labels: ReadonlyArray<number>): Shape {
    const last = this.last.get(question)
    if (last?.type === type && isSameList(last.labels, labels)) return last
    const key = [question, type, ...labels].join()
    const shape = this.known.get(key) ?? { place: this.list.length, question, type, labels }
    if (shape.place === this.list.length) this.list.push(shape)
    this.known.set(key, shape)
    this.last.set(question, shape)
    return shape
  }

  at(place: number): Shape {
    return this.list[place] as Shape
  }
}

const isSameList = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i])

/** The answers of a row; `undefined` where it was not answered. */
export type HeldAnswers = ReadonlyArray<HeldAnswer> | undefined

/** The states of a row. */
const [failed, answered, taken] = [0, 1, 2]

/** Holds one run in memory as numbers, its rows by the key by which they pair. Texts are not kept. R27 */
export class HeldRun {
  /** The shape, decision and truth of each answer. Those of a row follow each other. */
  private readonly forms = new Column(Uint32Array)
  private readonly decided = new Column(Int16Array)
  private readonly truth = new Column(Int16Array)
  private readonly probabilities = new Column(Float64Array)
  /** Where the answers of each row begin, and where their probabilities do. */
  private readonly starts = new Column(Uint32Array)
  private readonly probabilityStarts = new Column(Uint32Array)
  private readonly states = new Column(Uint8Array)
  private readonly keys = new DigestIndex()
  /** For each key its last row, counted from 1; 0 where no row is left. */
  private readonly last = new Column(Uint32Array)
  /** For each row the next one with the same key; for the last one the first that is left. */
  private readonly next = new Column(Uint32Array)

  constructor(private readonly shapes: Shapes) {}

  /** Adds a row. Returns whether another row has the same key. */
  add(key: string | undefined, answers: HeldAnswers): boolean {
    const row = this.states.size
    this.states.push(answers === undefined ? failed : answered)
    this.starts.push(this.decided.size)
    this.probabilityStarts.push(this.probabilities.size)
    for (const { shape, decided, truth, probabilities } of answers ?? []) {
      this.forms.push(shape.place)
      this.decided.push(decided)
      this.truth.push(truth)
      // The probability of a no follows from that of a yes.
      for (let k = shape.type === 'noul' ? 1 : 0; k < probabilities.length; k++)
        this.probabilities.push(probabilities[k] as number)
    }
    const place = key === undefined ? undefined : this.keys.add(key)
    const isKnown = place !== undefined && place < this.last.size
    const last = isKnown ? this.last.at(place) - 1 : row
    this.next.push(isKnown ? this.next.at(last) : row)
    if (isKnown) {
      this.next.set(last, row)
      this.last.set(place, row + 1)
    } else if (place !== undefined) this.last.push(row + 1)
    return isKnown
  }

  /** Takes the next row of this key; `undefined` where none is left. */
  take(key: string): { readonly answers: HeldAnswers } | undefined {
    const place = this.keys.find(key)
    const last = place === undefined ? -1 : this.last.at(place) - 1
    if (place === undefined || last < 0) return undefined
    const row = this.next.at(last)
    if (row === last) this.last.set(place, 0)
    else this.next.set(last, this.next.at(row))
    const answers = this.read(row)
    this.states.set(row, taken)
    return { answers }
  }

  /** Yields the rows that have not been taken. */
  *left(): Generator<HeldAnswers> {
    for (let row = 0; row < this.states.size; row++)
      if (this.states.at(row) !== taken) yield this.read(row)
  }

  private read(row: number): HeldAnswers {
    if (this.states.at(row) === failed) return undefined
    const isLast = row + 1 === this.states.size
    const end = isLast ? this.decided.size : this.starts.at(row + 1)
    const answers: HeldAnswer[] = []
    let from = this.probabilityStarts.at(row)
    for (let at = this.starts.at(row); at < end; at++) {
      const shape = this.shapes.at(this.forms.at(at))
      const isNoul = shape.type === 'noul'
      const probabilities = isNoul
        ? [1 - this.probabilities.at(from), this.probabilities.at(from)]
        : shape.labels.map((_, k) => this.probabilities.at(from + k))
      from += isNoul ? 1 : probabilities.length
      const [decided, truth] = [this.decided.at(at), this.truth.at(at)]
      answers.push({ shape, decided, truth, probabilities })
    }
    return answers
  }
}
