import * as E from 'fp-ts/Either'
import type { JsonValue } from '../../codec/json/json'
import { type Failure, validation } from '../../failure/failure'
import { type RecordHead, stateDigest } from '../record/record'
import type { Row } from '../rows/row'
import type { ImageFile } from './image-files'
import type { Plan } from './plan'

/** One request of a run: a row, or one of the repetitions of a row. */
export interface BatchItem {
  readonly row: Row
  /** The digest of the row's state; `undefined` if the state could not be read. */
  readonly stateSha256: string | undefined
  /** The images that the row names; none if one of them could not be read. */
  readonly images: ReadonlyArray<ImageFile>
  /** The number of the repetition, from 0; `undefined` without repetitions. */
  readonly run: number | undefined
}

/** The items of a row: itself, or `repeat` repetitions. `found` is its images, or why one of them could not be read. */
export const itemsOf = (
  given: Row,
  repeat: number | undefined,
  found: E.Either<string, ReadonlyArray<ImageFile>> = E.right([]),
): ReadonlyArray<BatchItem> => {
  const row = E.isLeft(found) ? { ...given, fault: given.fault ?? found.left } : given
  const images = E.isLeft(found) ? [] : found.right
  const isUnknown = row.state === undefined || E.isLeft(found)
  const stateSha256 = isUnknown ? undefined : stateDigest(row.state, images)
  const item = { row, stateSha256, images }
  return repeat === undefined
    ? [{ ...item, run: undefined }]
    : Array.from({ length: repeat }, (_, run) => ({ ...item, run }))
}

/** The members of an item's record that are known before it is asked. */
export const headOf = (
  { row: { index, id, group, labels, state }, stateSha256, images, run }: BatchItem,
  { questionsSha256, withState }: Pick<Plan, 'questionsSha256' | 'withState'>,
): RecordHead => ({
  index,
  run,
  id,
  group,
  labels,
  state: withState ? state : undefined,
  stateSha256,
  images: images.length === 0 ? undefined : images,
  questionsSha256,
})

/** The state of an item. Fails with a validation error if the row is invalid; then nothing is sent about it. */
export const stateOf = ({ row }: BatchItem): E.Either<Failure, JsonValue> =>
  row.state !== undefined && row.fault === undefined
    ? E.right(row.state)
    : E.left(validation(`line ${row.line}`, row.fault ?? 'there is no state'))
