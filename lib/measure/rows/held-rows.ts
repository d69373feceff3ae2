import { stringIn } from '../../codec/json/json'
import type { RunRecord } from '../../runs/record/decode'
import { idOf } from '../record-names'

/**
 * Returns the key by which the rows of two runs pair: the digests of state and questions, or the id with `byId`; `undefined`
 * if the record lacks it. The number 1 and the string "1" are different ids.
 */
export const pairKeyOf = (record: RunRecord, byId: boolean): string | undefined => {
  if (byId) {
    const id = idOf(record)
    return id === undefined ? undefined : `${typeof record.id === 'string' ? '"' : ''}${id}`
  }
  const state = stringIn(record.stateSha256)
  const questions = stringIn(record.questionsSha256)
  return state === undefined || questions === undefined ? undefined : `${state}${questions}`
}

/** Holds the rows of one run until their partners in the other run are read. Rows with equal keys pair in their order. */
export class HeldRows<A> {
  private readonly byKey = new Map<string, { readonly rows: A[]; next: number }>()
  private readonly withoutKey: A[] = []

  /** Adds a row. Returns `true` if an earlier row has the same key. */
  add(key: string | undefined, row: A): boolean {
    if (key === undefined) {
      this.withoutKey.push(row)
      return false
    }
    const known = this.byKey.get(key)
    if (known === undefined) this.byKey.set(key, { rows: [row], next: 0 })
    else known.rows.push(row)
    return known !== undefined
  }

  /** Takes the next row with this key; `undefined` if no row remains. */
  take(key: string | undefined): A | undefined {
    const known = key === undefined ? undefined : this.byKey.get(key)
    return known?.rows[known.next++]
  }

  /** Yields the rows that were not taken. */
  *remaining(): Generator<A> {
    yield* this.withoutKey
    for (const { rows, next } of this.byKey.values()) yield* rows.slice(next)
  }
}
