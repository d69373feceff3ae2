import type { RunRecord } from '../../runs/record/decode'
import { idOf } from '../labels/labelled-record'

/** Returns the key to pair rows of two runs by their ids; `undefined` without an id. The ids 1 and "1" have different keys. */
export const createIdKey = (record: RunRecord): string | undefined => {
  const id = idOf(record)
  // `idOf` returns the text 1 for the ids 1 and "1", so a quote marks the keys of strings.
  const prefix = typeof record.id === 'string' ? '"' : ''
  return id === undefined ? undefined : `${prefix}${id}`
}

/**
 * Returns the key to pair rows of two runs by the digests of their state (the JSON that the questions are about) and of their
 * questions. `undefined` if the record lacks one of them.
 */
export const createDigestKey = ({ stateSha256, questionsSha256 }: RunRecord): string | undefined =>
  stateSha256 === undefined || questionsSha256 === undefined
    ? undefined
    : `${stateSha256}${questionsSha256}`

/** Stores the rows of one run until the rows of the other run that they pair with are read. Rows with equal keys pair in their order. */
export class PendingRows<A> {
  private readonly queues = new Map<string, { readonly rows: A[]; nextIndex: number }>()
  private readonly rowsWithoutKey: A[] = []

  /** Adds a row. Returns `true` if an earlier row has the same key. */
  add(key: string | undefined, row: A): boolean {
    if (key === undefined) {
      this.rowsWithoutKey.push(row)
      return false
    }
    const queue = this.queues.get(key)
    if (queue === undefined) this.queues.set(key, { rows: [row], nextIndex: 0 })
    else queue.rows.push(row)
    return queue !== undefined
  }

  /** Takes the next row with this key; `undefined` if no row remains. */
  take(key: string | undefined): A | undefined {
    const queue = key === undefined ? undefined : this.queues.get(key)
    if (queue === undefined) return undefined
    const row = queue.rows[queue.nextIndex]
    queue.nextIndex++
    return row
  }

  /** Yields the rows that were not taken. */
  *remaining(): Generator<A> {
    yield* this.rowsWithoutKey
    for (const { rows, nextIndex } of this.queues.values()) yield* rows.slice(nextIndex)
  }
}
