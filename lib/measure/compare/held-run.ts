import { hash } from 'node:crypto'
import { kindOf } from '../../json/json'
import type { Label, RunRecord } from '../../run/decode'
import { idOf } from '../collect'
import { decisionByLabel, decisionOf, distributionOf, type KnownAnswer } from '../decision'
import { Names } from '../names'
import { GrowingNumbers } from './growing-numbers'

/** Numbers the questions and labels of both runs. */
export class Vocabulary {
  readonly questions = new Names()
  private readonly labels: Names[] = []

  /** The labels of the question with this number. */
  labelsOf(question: number): Names {
    const known = this.labels[question]
    if (known !== undefined) return known
    const names = new Names()
    this.labels[question] = names
    return names
  }
}

/** An answer as numbers. Labels are numbered among those of the question; −1 means none. */
export interface HeldAnswer {
  readonly type: KnownAnswer['type']
  readonly decided: number
  /** The label that a person gave. */
  readonly truth: number
  /** Empty where the answer has none. */
  readonly probabilities: ReadonlyMap<number, number>
}

const types = ['noul', 'choice', 'score'] as const

/** Reads an answer as numbers; `undefined` where its label does not fit it. */
export const heldAnswer = (
  answer: KnownAnswer,
  label: Label | undefined,
  names: Names,
): HeldAnswer | undefined => {
  const placeOf = (name: string | undefined) => (name === undefined ? -1 : names.placeOf(name))
  const probabilities = new Map(distributionOf(answer).map(([name, p]) => [placeOf(name), p]))
  const truth = label === undefined ? undefined : decisionByLabel(answer.type, label)
  return label !== undefined && truth === undefined
    ? undefined
    : {
        type: answer.type,
        truth: placeOf(truth),
        decided: placeOf(decisionOf(answer)),
        probabilities,
      }
}

/** Holds one run in memory as numbers, its rows by the key by which they pair. Texts are not kept. R27 */
export class HeldRun {
  private readonly cells = new GrowingNumbers()
  /** Where each row begins in `cells`. */
  private readonly starts = new GrowingNumbers()
  /** The rows of each key that have not been taken yet, the earliest first. */
  private readonly rows = new Map<string, Same>()

  add(key: string | undefined, answers: ReadonlyMap<number, HeldAnswer>): void {
    const row = this.starts.size
    this.starts.push(this.cells.size)
    this.cells.push(answers.size)
    for (const [question, { type, decided, truth, probabilities }] of answers) {
      for (const cell of [question, types.indexOf(type), decided, truth, probabilities.size])
        this.cells.push(cell)
      for (const cell of [...probabilities].flat()) this.cells.push(cell)
    }
    if (key === undefined) return
    const same = this.rows.get(key)
    if (same === undefined) this.rows.set(key, { list: [row], taken: 0 })
    else same.list.push(row)
  }

  /** Takes the next row of this key and returns its answers by question; `undefined` where none is left. */
  take(key: string): ReadonlyMap<number, HeldAnswer> | undefined {
    const same = this.rows.get(key)
    const row = same?.list[same.taken]
    if (same === undefined || row === undefined) return undefined
    same.taken++
    return this.read(row)
  }

  /** Yields the rows that have not been taken. */
  *left(): Generator<ReadonlyMap<number, HeldAnswer>> {
    for (const { list, taken } of this.rows.values())
      for (const row of list.slice(taken)) yield this.read(row)
  }

  private read(row: number): ReadonlyMap<number, HeldAnswer> {
    let at = this.starts.at(row)
    const next = () => this.cells.at(at++)
    const answers = new Map<number, HeldAnswer>()
    for (let n = next(); n > 0; n--) {
      const question = next()
      const type = types[next()] as KnownAnswer['type']
      const [decided, truth] = [next(), next()]
      const probabilities = new Map<number, number>()
      for (let k = next(); k > 0; k--) probabilities.set(next(), next())
      answers.set(question, { type, decided, truth, probabilities })
    }
    return answers
  }
}

/** The rows with the same key, and how many of them have been taken. */
interface Same {
  readonly list: number[]
  taken: number
}

/**
 * The key by which a record pairs: both its digests, or a hash of its id. Numbers and strings are different ids
 * even where their text is equal. R24, R27
 */
export const keyOf = (record: RunRecord, byId: boolean): string | undefined => {
  if (byId) {
    const id = idOf(record)
    const quote = record.id && kindOf(record.id) === 'string' ? '"' : ''
    return id === undefined ? undefined : hash('sha256', quote + id, 'base64')
  }
  const { stateSha256, questionsSha256 } = record
  return stateSha256 === undefined || questionsSha256 === undefined
    ? undefined
    : `${stateSha256}${questionsSha256}`
}
