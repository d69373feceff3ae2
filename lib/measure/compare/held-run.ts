import { Column } from '../../statistics/column'
import type { KnownAnswer } from '../decision'
import { DigestIndex } from '../digest-index'

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

/** The count that stands for a row without answers. */
const failed = -1

/** Holds one run in memory as numbers, its rows by the key by which they pair. Texts are not kept. R27 */
export class HeldRun {
  /** For each row the number of its answers, then shape, decision and truth of each. */
  private readonly cells = new Column(Int32Array)
  private readonly probabilities = new Column(Float64Array)
  /** Where each row begins in both. */
  private readonly starts = new Column(Uint32Array)
  private readonly probabilityStarts = new Column(Uint32Array)
  private readonly isTaken = new Column(Uint8Array)
  private readonly keys = new DigestIndex()
  /** For each row the next one with the same key, counted from 1; 0 where there is none. */
  private readonly next = new Column(Uint32Array)
  /** For each key its first row that was not taken, and its last row, counted from 1. */
  private readonly first = new Column(Uint32Array)
  private readonly last = new Column(Uint32Array)

  constructor(private readonly shapes: Shapes) {}

  /** Adds a row. Returns whether another row has the same key. */
  add(key: string | undefined, answers: HeldAnswers): boolean {
    this.starts.push(this.cells.size)
    this.probabilityStarts.push(this.probabilities.size)
    this.isTaken.push(0)
    this.next.push(0)
    this.cells.push(answers?.length ?? failed)
    for (const { shape, decided, truth, probabilities } of answers ?? []) {
      this.cells.push(shape.place)
      this.cells.push(decided)
      this.cells.push(truth)
      for (const p of probabilities) this.probabilities.push(p)
    }
    return key !== undefined && this.link(key)
  }

  /** Takes the next row of this key; `undefined` where none is left. */
  take(key: string): { readonly answers: HeldAnswers } | undefined {
    const place = this.keys.find(key)
    const row = place === undefined ? 0 : this.first.at(place)
    if (place === undefined || row === 0) return undefined
    this.first.set(place, this.next.at(row - 1))
    this.isTaken.set(row - 1, 1)
    return { answers: this.read(row - 1) }
  }

  /** Yields the rows that have not been taken. */
  *left(): Generator<HeldAnswers> {
    for (let row = 0; row < this.starts.size; row++)
      if (this.isTaken.at(row) === 0) yield this.read(row)
  }

  private link(key: string): boolean {
    const row = this.starts.size
    const place = this.keys.add(key)
    const isKnown = place < this.first.size
    if (isKnown) {
      this.next.set(this.last.at(place) - 1, row)
      this.last.set(place, row)
    } else {
      this.first.push(row)
      this.last.push(row)
    }
    return isKnown
  }

  private read(row: number): HeldAnswers {
    let at = this.starts.at(row)
    let from = this.probabilityStarts.at(row)
    const count = this.cells.at(at++)
    if (count === failed) return undefined
    return Array.from({ length: count }, (): HeldAnswer => {
      const shape = this.shapes.at(this.cells.at(at))
      const [decided, truth] = [this.cells.at(at + 1), this.cells.at(at + 2)]
      at += 3
      const probabilities = shape.labels.map((_, k) => this.probabilities.at(from + k))
      from += shape.labels.length
      return { shape, decided, truth, probabilities }
    })
  }
}
