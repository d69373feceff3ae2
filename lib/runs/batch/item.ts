import * as E from 'fp-ts/Either'
import type { JsonValue } from '../../codec/json/json'
import { type Failure, validation } from '../../failure/failure'
import { digestOf, type RecordHead } from '../record/record'
import type { Row } from '../rows/row'
import type { Plan } from './plan'

/** One request of a run: a row, or one of the repetitions of a row. */
export interface Item {
  readonly row: Row
  /** The digest of the row's state; `undefined` if the state could not be read. */
  readonly stateSha256: string | undefined
  /** The number of the repetition, from 0; `undefined` without repetitions. */
  readonly run: number | undefined
}

/** The items of a row: itself, or `repeat` repetitions. */
export const itemsOf = (row: Row, repeat: number | undefined): ReadonlyArray<Item> => {
  const stateSha256 = row.state === undefined ? undefined : digestOf(row.state)
  return repeat === undefined
    ? [{ row, stateSha256, run: undefined }]
    : Array.from({ length: repeat }, (_, run) => ({ row, stateSha256, run }))
}

/** The members of an item's record that are known before it is asked. */
export const headOf = (
  { row: { index, id, group, labels, state }, stateSha256, run }: Item,
  { questionsSha256, withState }: Pick<Plan, 'questionsSha256' | 'withState'>,
): RecordHead => ({
  index,
  run,
  id,
  group,
  labels,
  state: withState ? state : undefined,
  stateSha256,
  questionsSha256,
})

/** The state of an item. Fails with a validation error if the row is invalid; then nothing is sent about it. */
export const stateOf = ({ row: { line, state, fault } }: Item): E.Either<Failure, JsonValue> =>
  state !== undefined && fault === undefined
    ? E.right(state)
    : E.left(validation(`line ${line}`, fault ?? 'there is no state'))
