import * as E from 'fp-ts/Either'
import { decodeResponse } from '../../codec/response'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { decodeChunks } from '../../text/encoding'
import { formatCount } from '../../text/table'
import {
  createUtf16Decoder,
  explainUnmarkedUtf16,
  findUtf16Mark,
  maxExaminedBytes,
  type Utf16,
  utf16MarkBytes,
} from '../../text/utf16'
import { decodePackPlace, decodeRecord, type RunRecord } from '../record/decode'
import type { InputLine } from '../record/lines'
import { isAnswered } from '../record/outcome'
import { readRecordLines } from '../record/record-lines'
import { type BatchItem, checkState, type ItemAnswers } from './batch-item'
import type { BatchPlan } from './plan'

/** Access to the answers of earlier runs. An item and a record match if they have the same state, questions and repetition. */
export interface Reuse {
  /** Returns `true` if an earlier run has a matching record with answers that may be reused. */
  readonly has: (item: BatchItem) => boolean
  /** Reads the answers of that record. Resolves with `undefined` if there is none, or if the file has changed after it was indexed. */
  readonly find: (item: BatchItem) => Promise<ItemAnswers | undefined>
  /** Fails with a usage error if one of the earlier runs has answers for none of the first rows. Absent if they are not to be checked. */
  readonly checkFit?: (firstItems: ReadonlyArray<BatchItem>) => E.Either<Failure, void>
}

/** The index of an earlier run. `P` is the position from which a record can be read again. */
export interface RunIndex<P> {
  /** The path of the run, for messages. */
  readonly path: string
  /** The positions of its records, by the key of `formatRecordKey`. Null means that the answers must not be reused. */
  readonly positions: ReadonlyMap<string, P | null>
  /** `true` if the run has answers to other questions than this run. */
  readonly hasOtherQuestions: boolean
}

/** The position of a record in a file, in bytes. */
interface FilePosition {
  readonly path: string
  readonly offset: number
  readonly length: number
  /** Set if the file is UTF-16, as PowerShell writes it. */
  readonly utf16: Utf16 | undefined
}

/** Decides whether the answers of a record may be reused. */
export type AcceptRecord = (record: RunRecord) => boolean

/** The questions of this run, and with `--permute` the orders of their labels. A reused record must have answers to the same. */
type AskedQuestions = Pick<BatchPlan, 'questionsSha256' | 'permuted'>

interface IndexOptions {
  readonly asked: AskedQuestions
  /** Returns `false` for records whose answers must not be reused. */
  readonly accept: AcceptRecord
  readonly files: Pick<Files, 'chunks' | 'readPart'>
  /** Interrupts the reading when it fires. */
  readonly signal: AbortSignal
}

/**
 * Reads earlier runs and indexes their answers to the questions of this run. To save memory, an index stores only positions. Fails
 * with a usage error if a run cannot be read or has an invalid line, or as interrupted.
 */
export const indexRuns = async (
  paths: ReadonlyArray<string>,
  options: IndexOptions,
): Promise<E.Either<Failure, ReadonlyArray<RunIndex<FilePosition>>>> => {
  const { signal } = options
  const indexes: RunIndex<FilePosition>[] = []
  for (const path of paths) {
    try {
      const index = await indexRun(path, options)
      if (signal.aborted) return E.left(interrupted)
      if (E.isLeft(index)) return E.left(usage(`read run: ${path}: ${index.left}`))
      indexes.push(index.right)
    } catch (error) {
      return E.left(signal.aborted ? interrupted : usage(`read run: ${path}: ${reasonOf(error)}`))
    }
  }
  return E.right(indexes)
}

const indexRun = async (
  path: string,
  { asked, accept, files, signal }: IndexOptions,
): Promise<E.Either<string, RunIndex<FilePosition>>> => {
  const positions = new Map<string, FilePosition | null>()
  let hasOtherQuestions = false
  const add = (record: RunRecord, position: FilePosition): void => {
    const key = formatRecordKey(record, asked)
    if (key === undefined) {
      hasOtherQuestions ||= isAnswered(record.outcome)
      return
    }
    // The first record that may be reused wins. A null, for a record that must not be reused, is replaced by a later record.
    if (!positions.get(key)) positions.set(key, accept(record) ? position : null)
  }
  const start = await files.readPart(path, 0, maxExaminedBytes)
  const utf16 = findUtf16Mark(start)
  const encodingFault = utf16 === undefined ? explainUnmarkedUtf16(start) : undefined
  if (encodingFault !== undefined) return E.left(encodingFault)
  const locate = utf16 === undefined ? locateUtf8 : createUtf16Locator()
  const bytesOnDisk = files.chunks(path, signal)
  const chunks = utf16 === undefined ? bytesOnDisk : decodeChunks(bytesOnDisk, undefined)
  for await (const lines of readRecordLines({ chunks, signal }))
    for (const { line, record } of lines) {
      const position = { path, utf16, ...locate(line) }
      if (record === undefined) continue
      if (E.isLeft(record)) return E.left(record.left.cause)
      add(record.right, position)
    }
  return E.right({ path, positions, hasOtherQuestions })
}

/** Returns the position of a line in its file. */
type LocateLine = (line: InputLine) => Pick<FilePosition, 'offset' | 'length'>

const locateUtf8: LocateLine = ({ offset, bytes }) => ({ offset, length: bytes.length })

/** Creates a function that locates the lines of a file in UTF-16. It must be called with each line, in order. */
const createUtf16Locator = (): LocateLine => {
  let nextOffset = utf16MarkBytes
  return ({ bytes }) => {
    const offset = nextOffset
    const length = 2 * bytes.toString().length
    const newlineBytes = 2
    nextOffset += length + newlineBytes
    return { offset, length }
  }
}

/** Creates access to the answers of indexed files. Without `keepGoing`, it checks that they fit the first rows. */
export const createFileReuse = (
  indexes: ReadonlyArray<RunIndex<FilePosition>>,
  { readPart }: Pick<Files, 'readPart'>,
  keepGoing: boolean,
): Reuse => {
  const reuse = createReuse(
    indexes.map(({ positions }) => positions),
    // A file that has become unreadable has no answers.
    async ({ path, offset, length, utf16 }) => {
      const bytes = await readPart(path, offset, length).catch(() => new Uint8Array())
      return utf16 === undefined ? bytes : decodeUtf16(bytes, utf16)
    },
  )
  return keepGoing ? reuse : { ...reuse, checkFit: (firstItems) => checkFit(indexes, firstItems) }
}

/** Creates access to answers by the keys of their records. If several runs have answers for an item, the first run wins. */
export const createReuse = <P>(
  runs: ReadonlyArray<ReadonlyMap<string, P | null>>,
  readRecord: (position: P) => Promise<Uint8Array>,
): Reuse => {
  const findPosition = (item: BatchItem): P | undefined => {
    const key = formatItemKey(item)
    if (key === undefined) return undefined
    for (const positions of runs) {
      const position = positions.get(key)
      if (position !== undefined && position !== null) return position
    }
    return undefined
  }
  return {
    has: (item) => findPosition(item) !== undefined,
    find: async (item) => {
      const position = findPosition(item)
      if (position === undefined) return undefined
      const bytes = await readRecord(position)
      // The file may have another record, or none, at this position by now.
      const record = decodeRecord(Buffer.from(bytes))
      if (E.isLeft(record) || record.right.stateSha256 !== item.stateSha256) return undefined
      const noHeaderRequestId = ''
      const response = decodeResponse(bytes, noHeaderRequestId)
      if (E.isLeft(response)) return undefined
      return { response: response.right, pack: decodePackPlace(record.right) }
    },
  }
}

/** Decodes a part of a file. A part that is invalid by now has no answers. */
const decodeUtf16 = (bytes: Uint8Array, utf16: Utf16): Uint8Array => {
  const text = createUtf16Decoder(utf16)(Buffer.from(bytes))
  return Buffer.from(E.isLeft(text) ? '' : text.right)
}

/** The number of items that are compared with the runs of `--reuse` before the first request. */
export const maxComparedItems = 100

/**
 * Fails with a usage error if one of the earlier runs has records for none of the first rows. Then the user has probably forgotten a
 * flag, and would pay for every row again.
 */
const checkFit = (
  indexes: ReadonlyArray<RunIndex<unknown>>,
  items: ReadonlyArray<BatchItem>,
): E.Either<Failure, void> => {
  // `?? []` leaves out items without a key.
  const keys = items.flatMap((item) => formatItemKey(item) ?? [])
  const unfitRun = indexes.find(({ positions, hasOtherQuestions }) => {
    const hasAnswers = positions.size > 0 || hasOtherQuestions
    return hasAnswers && !keys.some((key) => positions.has(key))
  })
  if (keys.length === 0 || unfitRun === undefined) return E.right(undefined)
  const rowCount = new Set(items.map(({ row }) => row.index)).size
  return E.left(
    usage(
      `--reuse ${unfitRun.path} fits none of the first ${formatCount(rowCount, 'row')}: ${explainUnfitness(unfitRun)}`,
    ),
  )
}

const explainUnfitness = ({ positions }: RunIndex<unknown>): string =>
  positions.size > 0
    ? 'other states (was --state-field given?)'
    : 'other questions, or another --permute'

/** Formats the key of an item; `undefined` if its row is invalid. A record with the same key has the answers. */
const formatItemKey = (item: BatchItem): string | undefined =>
  item.stateSha256 === undefined || E.isLeft(checkState(item))
    ? undefined
    : formatKey(item.stateSha256, item.repetition)

/** Formats the key of a record; `undefined` if it has no answers, or answers to other questions. */
export const formatRecordKey = (
  { stateSha256, questionsSha256, repetition, outcome }: RunRecord,
  asked: AskedQuestions,
): string | undefined => {
  if (stateSha256 === undefined || !isAnswered(outcome)) return undefined
  const hasSameQuestions =
    questionsSha256 === asked.questionsSha256 && asked.permuted.hasSameOrders(outcome.answers)
  return hasSameQuestions ? formatKey(stateSha256, repetition) : undefined
}

/**
 * Formats the key of a state and a repetition. An item without `--repeat` has the key of the first repetition, 0. To save memory, each
 * byte of the digest is one character instead of two hexadecimal digits.
 */
const formatKey = (stateSha256: string, repetition = 0): string =>
  `${Buffer.from(stateSha256, 'hex').toString('latin1')}${repetition}`
