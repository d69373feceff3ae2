import * as E from 'fp-ts/Either'
import { stringIn } from '../../codec/json/json'
import { type AskResponse, decodeResponse } from '../../codec/response'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { formatCount } from '../../failure/text/table'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import { isBlank, type Line, splitLines } from '../record/lines'
import { isAnswered } from '../record/outcome'
import { maxRecordBytes } from '../record/read'
import { type BatchItem, stateOf } from './batch-item'
import type { Plan } from './plan'

/** The answers of earlier runs. */
export interface Reuse {
  /** Whether an earlier run has an answer that may be taken for the item. */
  readonly has: (item: BatchItem) => boolean
  /** Reads the answer of an earlier run; `undefined` if none has one, or if its file has changed since it was indexed. */
  readonly find: (item: BatchItem) => Promise<AskResponse | undefined>
  /** Fails with a usage error if one of the earlier runs fits none of the first rows. */
  readonly checkFit?: (first: ReadonlyArray<BatchItem>) => E.Either<Failure, void>
}

/** The records of one earlier run by key. A place that is null holds an answer that must not be taken. */
export interface RunIndex<P> {
  /** The run in messages. */
  readonly path: string
  readonly places: ReadonlyMap<string, P | null>
  /** Whether the run holds answers to other questions than those of this run. */
  readonly hasOtherQuestions: boolean
}

/** Where a record begins, in bytes from the start of its file. */
interface FilePlace {
  readonly path: string
  readonly start: number
  readonly length: number
}

/** Decides whether the answers of a record may be taken. */
export type AcceptRecord = (record: RunRecord) => boolean

/**
 * Reads earlier runs and indexes their answers to the questions of this run by the state that was asked about. The index
 * holds places and no texts. Fails with a usage error that names the line that cannot be read, or as interrupted.
 */
export const indexRuns = async (
  paths: ReadonlyArray<string>,
  asked: AskedAlike,
  accept: AcceptRecord,
  files: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): Promise<E.Either<Failure, ReadonlyArray<RunIndex<FilePlace>>>> => {
  const indexes: RunIndex<FilePlace>[] = []
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
  asked: AskedAlike,
  accept: AcceptRecord,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): Promise<E.Either<string, RunIndex<FilePlace>>> => {
  const places = new Map<string, FilePlace | null>()
  let [count, hasOtherQuestions] = [0, false]
  for await (const lines of splitLines(chunks(path, signal), maxRecordBytes))
    for (const line of lines) {
      // An interrupt may end the file in the middle of a line.
      if (signal.aborted) break
      if (isBlank(line.bytes)) continue
      const record = readRecordLine(line, count)
      if (E.isLeft(record)) return record
      count += 1
      const key = formatRecordKey(record.right, asked)
      if (key === undefined) {
        hasOtherQuestions ||= isAnswered(record.right.outcome)
        continue
      }
      if (places.get(key)) continue
      const { bytes, next, ended } = line
      const start = next - bytes.length - (ended ? 1 : 0)
      places.set(key, accept(record.right) ? { path, start, length: bytes.length } : null)
    }
  return E.right({ path, places, hasOtherQuestions })
}

const readRecordLine = (
  { bytes, number, tooLong }: Line,
  position: number,
): E.Either<string, RunRecord> => {
  if (tooLong) return E.left(`line ${number}: exceeds 128 MiB`)
  const record = decodeRecord(bytes, number, position)
  return E.isLeft(record) ? E.left(record.left.cause) : record
}

/** What decides whether answers of an earlier run are to the same questions. */
type AskedAlike = Pick<Plan, 'questionsSha256' | 'permuted'>

/** Makes the answers of indexed files available. With `keepGoing` runs may fit none of the first rows. */
export const reuseFiles = (
  indexes: ReadonlyArray<RunIndex<FilePlace>>,
  { readPart }: Pick<Files, 'readPart'>,
  keepGoing: boolean,
): Reuse => {
  const reuse = createReuse(
    indexes.map(({ places }) => places),
    ({ path, start, length }) => readPart(path, start, length).catch(() => new Uint8Array()),
  )
  return keepGoing ? reuse : { ...reuse, checkFit: (first) => checkFit(indexes, first) }
}

/** Finds answers by the keys of their records, in the first run that has one. `read` reads the record at a place. */
export const createReuse = <P>(
  runs: ReadonlyArray<ReadonlyMap<string, P | null>>,
  read: (place: P) => Promise<Uint8Array>,
): Reuse => {
  const findPlace = (item: BatchItem): P | undefined => {
    const key = keyOfItem(item)
    if (key === undefined) return undefined
    for (const places of runs) {
      const place = places.get(key)
      if (place !== undefined && place !== null) return place
    }
    return undefined
  }
  return {
    has: (item) => findPlace(item) !== undefined,
    find: async (item) => {
      const place = findPlace(item)
      if (place === undefined) return undefined
      const bytes = await read(place)
      const record = decodeRecord(Buffer.from(bytes), 0, 0)
      if (E.isLeft(record) || stringIn(record.right.stateSha256) !== item.stateSha256)
        return undefined
      const response = decodeResponse(bytes, '')
      return E.isRight(response) ? response.right : undefined
    },
  }
}

/** How many items of the input are compared with the runs of `--reuse` before anything is sent. */
export const maxCompared = 100

/**
 * Fails with a usage error if one of the earlier runs fits none of the first rows: then the user has most likely forgotten
 * a flag, and every row would be paid for again.
 */
const checkFit = (
  indexes: ReadonlyArray<RunIndex<unknown>>,
  items: ReadonlyArray<BatchItem>,
): E.Either<Failure, void> => {
  const keys = items.flatMap((item) => keyOfItem(item) ?? [])
  const misfit = indexes.find(
    ({ places, hasOtherQuestions }) =>
      (places.size > 0 || hasOtherQuestions) && !keys.some((key) => places.has(key)),
  )
  if (keys.length === 0 || misfit === undefined) return E.right(undefined)
  const rows = new Set(items.map(({ row }) => row.index)).size
  return E.left(
    usage(
      `--reuse ${misfit.path} fits none of the first ${formatCount(rows, 'row')}: ${describeMisfit(misfit)}`,
    ),
  )
}

const describeMisfit = ({ places }: RunIndex<unknown>): string =>
  places.size > 0
    ? 'other states (was --state-field given?)'
    : 'other questions, or another --permute'

/** The key of an item that is asked; `undefined` for a row that cannot be read. */
const keyOfItem = (item: BatchItem): string | undefined =>
  item.stateSha256 === undefined || E.isLeft(stateOf(item))
    ? undefined
    : keyOf(item.stateSha256, item.run)

/** The key of a record whose answers may be used again; `undefined` if they are none to these questions. */
export const formatRecordKey = (
  { stateSha256: state, questionsSha256, run, outcome }: RunRecord,
  asked: AskedAlike,
): string | undefined => {
  const stateSha256 = stringIn(state)
  return stateSha256 !== undefined &&
    stringIn(questionsSha256) === asked.questionsSha256 &&
    isAnswered(outcome) &&
    asked.permuted.isAskedAlike(outcome.answers)
    ? keyOf(stateSha256, run)
    : undefined
}

/**
 * The key of a state, in half the characters of its digest, and of a repetition. An answer of a run without `--repeat`
 * counts as that of the first repetition.
 */
const keyOf = (stateSha256: string, run = 0): string =>
  `${Buffer.from(stateSha256, 'hex').toString('latin1')}${run}`
