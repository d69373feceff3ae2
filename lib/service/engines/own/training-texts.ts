import * as E from 'fp-ts/Either'
import { memberIn } from '../../../codec/json/json'
import type { Failure } from '../../../failure/failure'
import type { StoredText, TextStore } from '../../../measure/train/text-store'
import type { TrainingRow } from '../../../measure/train/training-rows'
import type { RunRecord } from '../../../runs/record/decode'
import { createRowFinder, writeRemark } from '../../../runs/rows/find-rows'
import type { RowOptions } from '../../../runs/rows/form'
import type { Runtime } from '../../../runtime/runtime'
import type { VectorTable } from '../embedded/vector-table'
import { readState } from './read-state'

/** Creates a function that reads the text of a record from its state. It returns a fault as a string. */
export const createRecordTextReader =
  (table: VectorTable, store: TextStore) =>
  ({ document }: RunRecord): StoredText | string => {
    const state = memberIn(document, 'state')
    return state === undefined
      ? 'there is no "state": pass --rows with the input of the run, or ask with svc batch --with-state'
      : store.store(readState(state, table))
  }

/**
 * Reads the texts of rows from the input of their run, and stores them in the rows. Does nothing without `--rows`. Fails with a usage
 * error if a row is not in the input, or has another state.
 */
export const readTextsOfRows = async (
  runtime: Pick<Runtime, 'stdin' | 'files' | 'signal' | 'stderr'>,
  flags: RowOptions,
  rows: ReadonlyArray<TrainingRow>,
  table: VectorTable,
  store: TextStore,
): Promise<E.Either<Failure, void>> => {
  if (flags.rows === undefined) return E.right(undefined)
  const finder = createRowFinder(runtime, flags.rows, flags)
  for (const row of rows) {
    const state = await finder.findState(row)
    if (E.isLeft(state)) return state
    row.text = store.store(readState(state.right, table))
  }
  await writeRemark(runtime.stderr, finder.remark())
  return E.right(undefined)
}
