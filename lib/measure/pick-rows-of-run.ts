import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { formatOf } from '../batch/format'
import { pickRows } from '../batch/pick-rows'
import { type Failure, usage } from '../failure/failure'
import type { Json } from '../json/json'
import { openSource } from '../run/source'
import type { Runtime } from '../runtime/runtime'
import type { RowFlags } from './flags'
import { createRowCheck } from './rows-of-run'

/** A record of a run whose row is wanted. */
interface Wanted {
  readonly index: number
  readonly stateSha256: string | undefined
}

/**
 * Reads the rows of some records from the input of their run, by index; none without `--rows`. Fails with a usage error
 * where a row is not the one that the run asked about. R25
 */
export const pickRowsOf = (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
  { rows: path, format }: RowFlags,
  records: ReadonlyArray<Wanted>,
): TE.TaskEither<Failure, ReadonlyMap<number, Json>> => {
  if (path === undefined) return TE.right(new Map())
  const input = { path, format: format ?? formatOf(path) }
  return pipe(
    pickRows(input, new Set(records.map(({ index }) => index)), runtime),
    TE.chain((rows) => {
      const other = findOtherRow(rows, records)
      if (other === undefined) return TE.right(rows)
      const { name } = openSource(path, runtime)
      return TE.left(
        usage(`read rows: ${name}: the row of index ${other} is not the one that was asked`),
      )
    }),
  )
}

/** The index of the first row whose state is another than the record's. */
const findOtherRow = (
  rows: ReadonlyMap<number, Json>,
  records: ReadonlyArray<Wanted>,
): number | undefined => {
  const isRowOf = createRowCheck()
  return records.find(({ index, stateSha256 }) => {
    const row = rows.get(index)
    return row !== undefined && !isRowOf(row, stateSha256)
  })?.index
}
