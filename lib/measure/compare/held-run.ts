import type { KnownAnswer } from '../decision'

/** The type of a held answer. A refusal can replace an answer of any type. */
export type HeldType = KnownAnswer['type'] | 'refusal'

/** An answer as numbers. Labels are numbered among those of the question; −1 means none. */
export interface HeldAnswer {
  readonly shape: HeldShape
  readonly decided: number
  /** The label that a person gave. */
  readonly truth: number
  /** The probabilities of the labels of the shape, in the same order. */
  readonly probabilities: ReadonlyArray<number>
}

/** The type and labels that many answers share. */
export interface HeldShape {
  /** The place of this shape among all shapes. */
  readonly place: number
  readonly question: number
  readonly type: HeldType
  /** The labels that have probabilities; empty if there are none. */
  readonly labels: ReadonlyArray<number>
}

/** The shapes of all answers, each once. Answers to one question nearly always have the shape of the one before. */
export class HeldShapes {
  private readonly list: HeldShape[] = []
  private readonly known = new Map<string, HeldShape>()
  private readonly last = new Map<number, HeldShape>()

  of(question: number, type: HeldType, labels: ReadonlyArray<number>): HeldShape {
    const last = this.last.get(question)
    if (last?.type === type && isSameList(last.labels, labels)) return last
    const key = [question, type, ...labels].join()
    const shape = this.known.get(key) ?? { place: this.list.length, question, type, labels }
    if (shape.place === this.list.length) this.list.push(shape)
    this.known.set(key, shape)
    this.last.set(question, shape)
    return shape
  }

  at(place: number): HeldShape {
    return this.list[place] as HeldShape
  }
}

const isSameList = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i])

/** The answers of a row; `undefined` if it was not answered. */
export type HeldAnswers = ReadonlyArray<HeldAnswer> | undefined

/** Holds one run in memory, its rows by the key by which they pair. Texts of the run are not kept. */
export class HeldRun {
  private readonly byKey = new Map<string, { readonly rows: HeldAnswers[]; next: number }>()
  private readonly withoutKey: HeldAnswers[] = []

  /** Adds a row. Returns whether another row has the same key. */
  add(key: string | undefined, answers: HeldAnswers): boolean {
    if (key === undefined) {
      this.withoutKey.push(answers)
      return false
    }
    const known = this.byKey.get(key)
    if (known === undefined) this.byKey.set(key, { rows: [answers], next: 0 })
    else known.rows.push(answers)
    return known !== undefined
  }

  /** Takes the next row of this key; `undefined` if none is left. */
  take(key: string): { readonly answers: HeldAnswers } | undefined {
    const known = this.byKey.get(key)
    if (known === undefined || known.next === known.rows.length) return undefined
    return { answers: known.rows[known.next++] }
  }

  /** Yields the rows that have not been taken. */
  *left(): Generator<HeldAnswers> {
    yield* this.withoutKey
    for (const { rows, next } of this.byKey.values()) yield* rows.slice(next)
  }
}
