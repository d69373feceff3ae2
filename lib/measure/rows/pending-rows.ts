import { stringIn } from '../../codec/json/json'
import type { RunRecord } from '../../runs/record/decode'
import { idOf } from '../record-names'

/**
 * Returns the key by which a row of one run is paired with a row of another: the id with `pairsById`, otherwise the digests of the
 * state (the JSON that the questions are about) and of the questions. `undefined` if the record lacks them. The number 1 and the
 * string "1" are different ids.
 */
export const createPairKey = (record: RunRecord, pairsById: boolean): string | undefined => {
  if (pairsById) {
    const id = idOf(record)
    return id === undefined ? undefined : `${typeof record.id === 'string' ? '"' : ''}${id}`
  }
  const state = stringIn(record.stateSha256)
  const questions = stringIn(record.questionsSha256)
  return state === undefined || questions === undefined ? undefined : `${state}${questions}`
}

/** Stores the rows of one run until the rows of the other run that they pair with are read. Rows with equal keys pair in their order. */
export class PendingRows<A> {
  /** The rows of each key, and the index of the next one to take. */
  private readonly byKey = new Map<string, { readonly rows: A[]; next: number }>()
  private readonly rowsWithoutKey: A[] = []

  /** Adds a row. Returns `true` if an earlier row has the same key. */
  add(key: string | undefined, row: A): boolean {
    if (key === undefined) {
      this.rowsWithoutKey.push(row)
      return false
    }
    const queue = this.byKey.get(key)
    if (queue === undefined) this.byKey.set(key, { rows: [row], next: 0 })
    else queue.rows.push(row)
    return queue !== undefined
  }

  /** Takes the next row with this key; `undefined` if no row remains. */
  take(key: string | undefined): A | undefined {
    const queue = key === undefined ? undefined : this.byKey.get(key)
    if (queue === undefined) return undefined
    const row = queue.rows[queue.next]
    queue.next++
    return row
  }

  /** Yields the rows that were not taken. */
  *remaining(): Generator<A> {
    yield* this.rowsWithoutKey
    for (const { rows, next } of this.byKey.values()) yield* rows.slice(next)
  }
}
