import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import { sourceAt } from '../run/source'
import type { Item } from './ask-row'
import type { BatchContext, Prepared } from './context'
import type { Row } from './row'
import { openRows, selectRows } from './rows'

/** The input of a run, while it is read. */
export interface OpenInput {
  readonly items: AsyncGenerator<Item, void, undefined>
  /** The name of the input in messages. */
  readonly name: string
  /** The size of the input in bytes; `undefined` where it is not known. */
  readonly size: () => Promise<number | undefined>
  /** The bytes read so far. */
  readonly read: () => number
}

/** Opens the input of a run; `-` is standard input. `signal` ends the reading. R4, R8, R13 */
export const openItems = (
  { runtime: { stdin, files }, flags: { input, limit, repeat } }: BatchContext,
  { settings: { format, shard }, fields }: Prepared,
  signal: AbortSignal,
): TE.TaskEither<Failure, OpenInput> => {
  let bytes = 0
  const source = sourceAt(input, { stdin, files, signal })
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source.chunks) {
      bytes += chunk.length
      yield chunk
    }
  }
  return pipe(
    openRows({ ...source, chunks: counted(), format, fields }),
    TE.map((rows) => ({
      items: repeated(selectRows(rows, limit, shard), repeat),
      name: source.name,
      size: async () => (input === '-' ? undefined : files.size(input)),
      read: () => bytes,
    })),
  )
}

async function* repeated(
  rows: AsyncIterable<Row>,
  repeat: number | undefined,
): AsyncGenerator<Item, void, undefined> {
  for await (const row of rows)
    for (let run = 0; run < (repeat ?? 1); run++)
      yield { row, run: repeat === undefined ? undefined : run }
}
