import * as E from 'fp-ts/Either'
import type { RequestImage } from '../../codec/images'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest } from '../../codec/request'
import { type Failure, validation } from '../../failure/failure'
import { digestState, type RecordHead } from '../record/record'
import type { Row } from '../rows/row'
import type { ImageFile } from './image-files'
import { type BatchPlan, createBatchRequest } from './plan'

/** One request of a run: that of a row, or one of its repetitions. */
export interface BatchItem {
  readonly row: Row
  /** The digest of the row's state; `undefined` if the state could not be read. */
  readonly stateSha256: string | undefined
  /** The images that the row names; empty if an image could not be read. */
  readonly images: ReadonlyArray<ImageFile>
  /** The number of the repetition, from 0; `undefined` without repetitions. */
  readonly run: number | undefined
}

/** Creates the items of a row: one, or `repeat` repetitions. If the images could not be read, the row gets the message as its fault. */
export const createItems = (
  row: Row,
  repeat: number | undefined,
  images: E.Either<string, ReadonlyArray<ImageFile>> = E.right([]),
): ReadonlyArray<BatchItem> => {
  const item = E.isLeft(images)
    ? { row: { ...row, fault: row.fault ?? images.left }, stateSha256: undefined, images: [] }
    : { row, stateSha256: digestRowState(row, images.right), images: images.right }
  return repeat === undefined
    ? [{ ...item, run: undefined }]
    : Array.from({ length: repeat }, (_, run) => ({ ...item, run }))
}

const digestRowState = ({ state }: Row, images: ReadonlyArray<ImageFile>): string | undefined =>
  state === undefined ? undefined : digestState(state, images)

/** Creates the members of an item's record that are known before its request. */
export const createRecordHead = (
  item: BatchItem,
  { questionsSha256, withState }: Pick<BatchPlan, 'questionsSha256' | 'withState'>,
): RecordHead => {
  const { row, stateSha256, images, run } = item
  return {
    index: row.index,
    run,
    id: row.id,
    group: row.group,
    labels: row.labels,
    state: withState ? row.state : undefined,
    stateSha256,
    images: images.length === 0 ? undefined : images,
    questionsSha256,
  }
}

/** Returns the state of an item, the JSON that the questions are about. Fails with a validation error if the row is invalid; svc then sends no request. */
export const checkState = ({ row }: BatchItem): E.Either<Failure, JsonValue> =>
  row.state !== undefined && row.fault === undefined
    ? E.right(row.state)
    : E.left(validation(`line ${row.line}`, row.fault ?? 'there is no state'))

/** Creates the request of an item, with its images. Fails with a validation error if the row is invalid or an image is unreadable. */
export const createItemRequest = async (
  item: BatchItem,
  plan: BatchPlan,
): Promise<E.Either<Failure, AskRequest>> => {
  const state = checkState(item)
  if (E.isLeft(state)) return state
  const images: RequestImage[] = []
  for (const { load } of item.images) {
    const image = await load()
    if (E.isLeft(image)) return image
    images.push(image.right)
  }
  return E.right(createBatchRequest(plan, state.right, images))
}
