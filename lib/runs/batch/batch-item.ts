import * as E from 'fp-ts/Either'
import type { RequestImage } from '../../codec/images'
import type { JsonValue } from '../../codec/json/json'
import type { AskRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import { type Failure, validation } from '../../failure/failure'
import { errorOf } from '../../failure/report'
import type { RunRecord } from '../record/decode'
import { type Answered, type ErrorObject, isAnswered } from '../record/outcome'
import {
  convertUsage,
  digestState,
  encodeRecord,
  type PackPlace,
  type RecordedUsage,
  type RecordHead,
} from '../record/record'
import type { Row } from '../rows/row'
import type { ImageFile } from './image-files'
import {
  type BatchPlan,
  createBatchRequest,
  type Judgement,
  type JudgingRules,
  judgeAnswers,
} from './plan'

/** One request of a run: that of a row, or one of its repetitions. */
export interface BatchItem {
  readonly row: Row
  /** The digest of the row's state and images; `undefined` if the state or an image could not be read. */
  readonly stateSha256: string | undefined
  /** The images that the row names; empty if an image could not be read. */
  readonly images: ReadonlyArray<ImageFile>
  /** The number of the repetition, from 0; `undefined` without repetitions. */
  readonly repetition: number | undefined
}

/**
 * Creates the items of a row: one, or `repeat` repetitions. If the images could not be read, the message of `images` becomes the fault
 * of the row.
 */
export const createItems = (
  row: Row,
  repeat: number | undefined,
  images: E.Either<string, ReadonlyArray<ImageFile>> = E.right([]),
): ReadonlyArray<BatchItem> => {
  const item = E.isLeft(images)
    ? { row: { ...row, fault: row.fault ?? images.left }, stateSha256: undefined, images: [] }
    : {
        row,
        stateSha256: row.state === undefined ? undefined : digestState(row.state, images.right),
        images: images.right,
      }
  return repeat === undefined
    ? [{ ...item, repetition: undefined }]
    : Array.from({ length: repeat }, (_, repetition) => ({ ...item, repetition }))
}

/** Returns the state of an item, the JSON that the questions are about. Fails with a validation error if the row is invalid. */
export const checkState = ({ row }: BatchItem): E.Either<Failure, JsonValue> =>
  row.state !== undefined && row.fault === undefined
    ? E.right(row.state)
    : E.left(validation(`line ${row.line}`, row.fault ?? 'there is no state'))

/** Creates the request of an item, with its images. Fails with a validation error if the row is invalid, or as `ImageFile.load` does. */
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

/** Creates the members of an item's record that are known before its request. */
export const createRecordHead = (
  item: BatchItem,
  { questionsSha256, withState }: Pick<BatchPlan, 'questionsSha256' | 'withState'>,
): RecordHead => {
  const { row, stateSha256, images, repetition } = item
  return {
    index: row.index,
    repetition,
    id: row.id,
    group: row.group,
    labels: row.labels,
    state: withState ? row.state : undefined,
    stateSha256,
    images: images.length === 0 ? undefined : images,
    questionsSha256,
  }
}

/** An encoded record, and its tally for the summary. */
export interface EncodedRecord {
  /** The line, with its newline. */
  readonly line: Buffer
  readonly tally: RecordTally
  /** The failure of the row. Absent if the record was read from a file. */
  readonly failure?: Failure
}

/** The tally: the part of a record that the summary of a run counts. */
export interface RecordTally {
  /** The position of the row in the input, from 0. */
  readonly index: number
  readonly outcome: AnsweredTally | { readonly error: ErrorObject }
}

/** The part of a record with answers that the summary of a run counts. */
export interface AnsweredTally {
  readonly model: string
  readonly usage: RecordedUsage
  /** `true` if all requirements hold; `undefined` if the run has no requirements. */
  readonly passed: boolean | undefined
  readonly outcomes: Judgement['outcomes']
  /** `true` if one of the answers is a refusal. */
  readonly isRefused: boolean
  /** `true` if the answers were taken from an earlier run. */
  readonly isReused: boolean
}

/** The answers to an item. */
export interface ItemAnswers {
  readonly response: AskResponse
  /** The place of the item among the rows of its request; `undefined` if it was asked alone. */
  readonly pack?: PackPlace | undefined
}

/** Judges the answers to an item, and encodes its record. `isReused` is `true` if the answers were taken from an earlier run. */
export const encodeAnsweredRecord = (
  item: BatchItem,
  plan: BatchPlan,
  { response, pack, isReused }: ItemAnswers & { readonly isReused: boolean },
): EncodedRecord => {
  const { model, answers } = response
  const judgement = judgeAnswers(plan, answers)
  const answered = { model, answers, usage: convertUsage(response) }
  return {
    line: encodeRecord(createRecordHead(item, plan), {
      response,
      pack,
      isReused,
      ...judgement.members,
    }),
    tally: { index: item.row.index, outcome: tallyAnswers(answered, judgement, isReused) },
  }
}

/** Encodes the record of a failed item. */
export const encodeFailedRecord = (
  item: BatchItem,
  plan: BatchPlan,
  failure: Failure,
): EncodedRecord => {
  const error = errorOf(failure)
  const { kind, status, request_id: requestId, message } = error
  return {
    line: encodeRecord(createRecordHead(item, plan), { error: { ...error } }),
    tally: { index: item.row.index, outcome: { error: { kind, status, requestId, message } } },
    failure,
  }
}

/** Creates the tally of a record that was read from a file. */
export const tallyRecord = (
  { index, outcome }: RunRecord,
  rules: JudgingRules,
  isReused: boolean,
): RecordTally => {
  if (!isAnswered(outcome)) return { index, outcome }
  const judgement = judgeAnswers(rules, outcome.answers)
  return { index, outcome: tallyAnswers(outcome, judgement, isReused) }
}

const tallyAnswers = (
  { model, answers, usage }: Omit<Answered, 'gate'>,
  { passed, outcomes }: Judgement,
  isReused: boolean,
): AnsweredTally => {
  const isRefused = [...answers.values()].some(({ type }) => type === 'refusal')
  return { model, usage, passed, outcomes, isRefused, isReused }
}
