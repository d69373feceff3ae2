import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { openSource } from '../record/source'
import type { LabelField, Row } from '../rows/row'
import { countRows, openRows, selectRows } from '../rows/rows'
import { type Item, itemsOf } from './ask-row'
import type { BatchContext, Prepared } from './settings'

/** The items of an input, in order. One that was taken can be put back. */
export interface Items extends AsyncIterableIterator<Item, undefined, undefined> {
  readonly putBack: (item: Item) => void
}

/** The input of a run, while it is read. */
export interface OpenInput {
  readonly items: Items
  /** The name of the input in messages. */
  readonly name: string
  /** How many items have been taken so far. */
  readonly taken: () => number
  /** The fields of `--label` that no row had so far. R2 */
  readonly absentLabels: () => ReadonlyArray<LabelField>
}

/** Opens the input of a run; `-` is standard input. `signal` ends the reading. R4, R8, R13 */
export const openItems = (
  { runtime: { stdin, files }, flags: { input, limit, repeat } }: BatchContext,
  { settings: { format, shard }, fields }: Prepared,
  signal: AbortSignal,
): TE.TaskEither<Failure, OpenInput> => {
  let taken = 0
  const absent = new Set(fields.labels)
  async function* read(rows: AsyncIterable<Row>): AsyncGenerator<Item, undefined, undefined> {
    for await (const row of rows) {
      for (const label of absent)
        if (row.absentLabels?.includes(label) === false) absent.delete(label)
      for (const item of itemsOf(row, repeat)) {
        taken += 1
        yield item
      }
    }
  }
  const source = openSource(input, { stdin, files, signal })
  return pipe(
    openRows({ ...source, format, fields }),
    TE.map((rows) => ({
      items: withPutBack(read(selectRows(rows, limit, shard))),
      name: source.name,
      taken: () => taken,
      absentLabels: () => [...absent],
    })),
  )
}

const withPutBack = (items: AsyncGenerator<Item, undefined, undefined>): Items => {
  let back: Item | undefined
  const self: Items = {
    next: async () => {
      if (back === undefined) return items.next()
      const value = back
      back = undefined
      return { done: false, value }
    },
    putBack: (item) => {
      back = item
    },
    [Symbol.asyncIterator]: () => self,
  }
  return self
}

/**
 * Counts the items of an input, by reading it once more; `undefined` where it is no file, which can be read only
 * once. Rejects where reading does.
 */
export const countItems = async (
  { runtime: { stdin, files }, flags: { input, limit, repeat = 1 } }: BatchContext,
  { settings: { format, shard } }: Prepared,
  signal: AbortSignal,
): Promise<number | undefined> => {
  if (input === '-' || (await files.size(input)) === undefined) return undefined
  const rows = await countRows({ ...openSource(input, { stdin, files, signal }), format })
  const first = Math.min(rows, limit ?? rows)
  const { number, of } = shard ?? { number: 1, of: 1 }
  return Math.ceil((first - (number - 1)) / of) * repeat
}
