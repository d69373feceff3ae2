import * as E from 'fp-ts/Either'
import { stringIn } from '../../codec/json/json'
import { type AskResponse, decodeResponse } from '../../codec/response'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { formatCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import type { InputLine } from '../record/lines'
import { isAnswered } from '../record/outcome'
import { readRecordLines } from '../record/record-lines'
import { type BatchItem, checkState } from './batch-item'
import type { BatchPlan } from './plan'

/** Access to the answers of earlier runs. */
export interface Reuse {
  /** Returns `true` if an earlier run has answers that the item may reuse. */
  readonly has: (item: BatchItem) => boolean
  /** Reads the answers of an earlier run; `undefined` if there are none, or if the file has changed after it was indexed. */
  readonly find: (item: BatchItem) => Promise<AskResponse | undefined>
  /** Fails with a usage error if an earlier run has answers for none of the first rows. */
  readonly checkFit?: (first: ReadonlyArray<BatchItem>) => E.Either<Failure, void>
}

/** The positions of the records of an earlier run, by key. The position is null if the answers must not be reused. */
export interface RunIndex<P> {
  /** The path of the run, for messages. */
  readonly path: string
  readonly positions: ReadonlyMap<string, P | null>
  /** `true` if the run has answers to other questions than this run. */
  readonly hasOtherQuestions: boolean
}

/** The position of a record in a file, in bytes. */
interface FilePosition {
  readonly path: string
  readonly offset: number
  readonly length: number
}

/** Decides whether the answers of a record may be reused. */
export type AcceptRecord = (record: RunRecord) => boolean

/** The questions of this run, which a reused record must have too. */
type AskedQuestions = Pick<BatchPlan, 'questionsSha256' | 'permuted'>

/**
 * Reads earlier runs and indexes their answers to the questions of this run by the digest of the state. To save memory, the
 * index stores only positions. Fails with a usage error that names the first invalid line, or as interrupted.
 */
export const indexRuns = async (
  paths: ReadonlyArray<string>,
  asked: AskedQuestions,
  accept: AcceptRecord,
  files: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): Promise<E.Either<Failure, ReadonlyArray<RunIndex<FilePosition>>>> => {
  const indexes: RunIndex<FilePosition>[] = []
  for (const path of paths) {
    try {
      const index = await indexRun(path, asked, accept, files, signal)
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
  asked: AskedQuestions,
  accept: AcceptRecord,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): Promise<E.Either<string, RunIndex<FilePosition>>> => {
  const positions = new Map<string, FilePosition | null>()
  let hasOtherQuestions = false
  const add = (record: RunRecord, { offset, bytes }: InputLine): void => {
    const key = formatRecordKey(record, asked)
    if (key === undefined) hasOtherQuestions ||= isAnswered(record.outcome)
    else if (!positions.get(key))
      positions.set(key, accept(record) ? { path, offset, length: bytes.length } : null)
  }
  for await (const lines of readRecordLines({ chunks: chunks(path, signal), signal }))
    for (const line of lines) {
      if (line.record === undefined) continue
      if (E.isLeft(line.record)) return E.left(line.record.left.cause)
      add(line.record.right, line)
    }
  return E.right({ path, positions, hasOtherQuestions })
}

/** Creates access to the answers of indexed files. With `keepGoing`, they need not fit the first rows. */
export const createFileReuse = (
  indexes: ReadonlyArray<RunIndex<FilePosition>>,
  { readPart }: Pick<Files, 'readPart'>,
  keepGoing: boolean,
): Reuse => {
  const reuse = createReuse(
    indexes.map(({ positions }) => positions),
    ({ path, offset, length }) => readPart(path, offset, length).catch(() => new Uint8Array()),
  )
  return keepGoing ? reuse : { ...reuse, checkFit: (first) => checkFit(indexes, first) }
}

/** Creates access to answers by the keys of their records. The first run with answers wins. `read` reads a record. */
export const createReuse = <P>(
  runs: ReadonlyArray<ReadonlyMap<string, P | null>>,
  read: (position: P) => Promise<Uint8Array>,
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
      const bytes = await read(position)
      const record = decodeRecord(Buffer.from(bytes), 0, 0)
      if (E.isLeft(record) || stringIn(record.right.stateSha256) !== item.stateSha256)
        return undefined
      const response = decodeResponse(bytes, '')
      return E.isRight(response) ? response.right : undefined
    },
  }
}

/** The number of items that are compared with the runs of `--reuse` before the first request. */
export const maxCompared = 100

/**
 * Fails with a usage error if an earlier run has records for none of the first rows. Then the user has probably forgotten a
 * flag, and would pay for every row again.
 */
const checkFit = (
  indexes: ReadonlyArray<RunIndex<unknown>>,
  items: ReadonlyArray<BatchItem>,
): E.Either<Failure, void> => {
  const keys = items.flatMap((item) => formatItemKey(item) ?? [])
  const misfit = indexes.find(
    ({ positions, hasOtherQuestions }) =>
      (positions.size > 0 || hasOtherQuestions) && !keys.some((key) => positions.has(key)),
  )
  if (keys.length === 0 || misfit === undefined) return E.right(undefined)
  const rows = new Set(items.map(({ row }) => row.index)).size
  return E.left(
    usage(
      `--reuse ${misfit.path} fits none of the first ${formatCount(rows, 'row')}: ${describeMisfit(misfit)}`,
    ),
  )
}

const describeMisfit = ({ positions }: RunIndex<unknown>): string =>
  positions.size > 0
    ? 'other states (was --state-field given?)'
    : 'other questions, or another --permute'

/** Formats the key of an item; `undefined` if its row is invalid. */
const formatItemKey = (item: BatchItem): string | undefined =>
  item.stateSha256 === undefined || E.isLeft(checkState(item))
    ? undefined
    : formatKey(item.stateSha256, item.run)

/** Formats the key of a record; `undefined` if it has no answers, or answers to other questions. */
export const formatRecordKey = (
  { stateSha256: state, questionsSha256, run, outcome }: RunRecord,
  asked: AskedQuestions,
): string | undefined => {
  const stateSha256 = stringIn(state)
  return stateSha256 !== undefined &&
    stringIn(questionsSha256) === asked.questionsSha256 &&
    isAnswered(outcome) &&
    asked.permuted.hasSameOrders(outcome.answers)
    ? formatKey(stateSha256, run)
    : undefined
}

/**
 * Formats the key of a state and a repetition. A run without `--repeat` counts as the first repetition. To save memory, each byte
 * of the digest is one character instead of two hexadecimal digits.
 */
const formatKey = (stateSha256: string, run = 0): string =>
  `${Buffer.from(stateSha256, 'hex').toString('latin1')}${run}`
