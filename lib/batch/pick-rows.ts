import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, interrupted, usage } from '../failure/failure'
import { copyValue, type Json } from '../json/json'
import { openSource } from '../run/source'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import type { Format } from './format'
import { openRows } from './rows'

/** The input from which rows are picked. */
interface PickedInput {
  /** `-` is standard input. */
  readonly path: string
  readonly format: Format
}

/**
 * Reads the whole rows at the given indexes of an input, and no further than the last of them. Fails with a
 * usage error where the input ends before that, or one of these rows cannot be read. R25
 */
export const pickRows = (
  { path, format }: PickedInput,
  indexes: ReadonlySet<number>,
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
): TE.TaskEither<Failure, ReadonlyMap<number, Json>> => {
  const { signal } = runtime
  const source = openSource(path, runtime)
  const failed = (why: string): Failure => usage(`read rows: ${source.name}: ${why}`)
  const fields = { state: undefined, id: undefined, group: undefined, labels: [] }
  return pipe(
    openRows({ ...source, format, fields }),
    TE.chain((rows) =>
      TE.tryCatch(
        async () => {
          const picked = new Map<number, Json>()
          if (indexes.size === 0) return E.right(picked)
          for await (const { index, line, state, fault } of rows) {
            // An interrupt ends the input, perhaps in the middle of a row.
            if (signal.aborted) break
            if (!indexes.has(index)) continue
            if (state === undefined) return E.left(failed(`line ${line}: ${fault}`))
            picked.set(index, copyValue(state))
            if (picked.size === indexes.size) return E.right(picked)
          }
          if (signal.aborted) return E.left(interrupted)
          const missing = [...indexes].find((index) => !picked.has(index))
          return E.left(failed(`it ends before the row of index ${missing}`))
        },
        (error) => (signal.aborted ? interrupted : failed(reasonOf(error))),
      ),
    ),
    TE.chainEitherK((picked) => picked),
  )
}
