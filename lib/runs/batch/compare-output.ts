import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../../codec/json/draft'
import { memberIn, stringIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { Files } from '../../runtime/runtime'
import { decodeRecord, type RunRecord } from '../record/decode'
import { isAnswered } from '../record/outcome'
import { encodeHead, type RecordHead } from '../record/record'
import { type RecordLine, readRecordLines } from '../record/record-lines'
import { type BatchItem, createRecordHead } from './batch-item'
import type { BatchRun } from './batch-run'
import { type EncodedRecord, tallyRecord } from './encode-record'
import { judgeAnswers } from './judge-answers'
import type { OutputOfRun } from './output'
import type { BatchPlan } from './plan'
import type { OpenItems } from './read-items'

/** A record that the output already holds. */
export interface OldRecord {
  readonly record: RunRecord
  /** The record's line, with a newline even if the file lacks it. */
  readonly line: Buffer
  /** `true` if the line ends in a newline. */
  readonly ended: boolean
  /** The offset behind the line, in bytes from the start of the file. */
  readonly next: number
}

/** The beginning of a last line that was not written to its end. */
interface TornLine {
  readonly torn: Buffer
}

/**
 * Reads the records of an output in order, and a torn last line. Ends after a failure if a line holds no record, and early
 * when `signal` fires.
 */
export async function* readOldRecords(
  path: string,
  { chunks }: Pick<Files, 'chunks'>,
  signal: AbortSignal,
): AsyncGenerator<E.Either<Failure, OldRecord | TornLine>, void, undefined> {
  for await (const lines of readRecordLines({ chunks: chunks(path, signal), signal }))
    for (const line of lines) {
      const old = line.ended ? toOldRecord(line, path) : decodeLastLine(line)
      if (old !== undefined) yield old
      if (old === undefined || E.isLeft(old)) return
    }
}

const newline = Buffer.from('\n')

const toOldRecord = (
  { bytes, number, next, ended, record }: RecordLine,
  path: string,
): E.Either<Failure, OldRecord> =>
  record === undefined || E.isLeft(record)
    ? E.left(usage(`resume ${path}: line ${number} is no record of a run`))
    : E.right({ record: record.right, line: Buffer.concat([bytes, newline]), ended, next })

/** Decodes a last line without a newline; `undefined` if it has nothing but zeros. */
const decodeLastLine = (line: RecordLine): E.Either<never, OldRecord | TornLine> | undefined => {
  const bytes = dropZeros(line.bytes)
  if (bytes.length === 0) return undefined
  const record =
    bytes.length < line.bytes.length ? decodeRecord(bytes, line.number, 0) : line.record
  if (record === undefined || E.isLeft(record) || line.tooLong) return E.right({ torn: bytes })
  return E.right({
    record: record.right,
    line: Buffer.concat([bytes, newline]),
    ended: false,
    next: line.start + bytes.length,
  })
}

/** Removes zero bytes from the end of a line. File systems leave them when the power fails. */
const dropZeros = (bytes: Buffer): Buffer => {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length -= 1
  return bytes.subarray(0, length)
}

/** An item of the input, and the record that the output holds for it. */
interface PairedRecord {
  readonly item: BatchItem
  readonly old: OldRecord
  readonly encoded: EncodedRecord
}

/**
 * Pairs each record of the output with its item of the input. Ends with the last record, or with a failure at
 * the first that belongs to another row, other questions, or a run with other flags. A torn last line must begin as
 * the record of the next item does; that item is then the next one of the input.
 */
export async function* pairRecords(
  { runtime, setup }: BatchRun,
  { path }: OutputOfRun,
  { items }: OpenItems,
): AsyncGenerator<E.Either<Failure, PairedRecord>, void, undefined> {
  const { plan, interrupt } = setup
  const refuse = (why: string) => E.left(usage(`resume ${path}: ${why}`))
  for await (const old of readOldRecords(path, runtime.files, interrupt)) {
    if (E.isLeft(old)) return yield old
    const next = await items.next()
    // An interrupt ends the input too.
    if (interrupt.aborted) return
    if ('torn' in old.right) {
      if (next.done || !isBeginningOf(old.right.torn, createRecordHead(next.value, plan)))
        yield refuse('its last line is no record of this run')
      else items.putBack(next.value)
      return
    }
    const { record } = old.right
    if (next.done) return yield refuse(`it holds row ${record.index}, which the input has not`)
    const why = findDifference(record, createRecordHead(next.value, plan), plan)
    if (why !== undefined) return yield refuse(`row ${next.value.row.index} of the input: ${why}`)
    yield E.right({ item: next.value, old: old.right, encoded: encodeOldRecord(old.right, plan) })
  }
}

/** Returns an old record as it was written, with what the summary counts of it. */
export const encodeOldRecord = ({ record, line }: OldRecord, plan: BatchPlan): EncodedRecord => {
  const reused = memberIn(record.document, 'reused')
  const isReused = reused !== undefined && encodeText(reused) === 'true'
  return { line, tally: tallyRecord(record, plan, isReused) }
}

/** Returns `true` if a torn line may be the beginning of the record with this head. */
const isBeginningOf = (torn: Buffer, head: RecordHead): boolean => {
  const expected = encodeHead(head)
  const length = Math.min(torn.length, expected.length)
  return torn.subarray(0, length).equals(expected.subarray(0, length))
}

/** Describes how a record differs from the one that this run would write; `undefined` if it does not. */
const findDifference = (
  record: RunRecord,
  head: RecordHead,
  plan: BatchPlan,
): string | undefined => {
  const { document, index, run, stateSha256, questionsSha256, outcome } = record
  if (index !== head.index) return `the file has row ${index} in its place`
  if (run !== head.run) return 'the file has it with another --repeat'
  if (stringIn(questionsSha256) !== head.questionsSha256) return 'the file has other questions'
  // A row whose images could not be read has no digest. It may have its images now.
  const hadNoImages = head.images !== undefined && !isAnswered(outcome) && stateSha256 === undefined
  if (stringIn(stateSha256) !== head.stateSha256 && !hadNoImages)
    return 'the file has another state'
  if (isAnswered(outcome) && !plan.permuted.hasSameOrders(outcome.answers))
    return 'the file has it with another --permute'
  const { gate, policy } = isAnswered(outcome) ? judgeAnswers(plan, outcome.answers).members : {}
  const members: ReadonlyArray<readonly [name: string, expected: Draft | undefined]> = [
    ['id', head.id],
    ['group', head.group],
    ['labels', head.labels && new Map<string, Draft>(head.labels)],
    ['state', head.state],
    ['gate', gate],
    ['policy', policy],
  ]
  const different = members.find(
    ([name, expected]) => encodeMember(memberIn(document, name)) !== encodeMember(expected),
  )
  return different && `the file has another "${different[0]}"`
}

const encodeMember = (value: Draft | undefined): string | undefined =>
  value === undefined ? undefined : encodeText(value)

/** Returns `true` if the output holds a failed record. */
export const hasFailedRecords = async (
  { runtime, setup }: BatchRun,
  { path }: OutputOfRun,
): Promise<boolean> => {
  for await (const old of readOldRecords(path, runtime.files, setup.interrupt))
    if (E.isRight(old) && 'record' in old.right && !isAnswered(old.right.record.outcome))
      return true
  return false
}

/**
 * Reads the records of the output that the summary has not counted yet. An interrupt does not end that, since the summary is
 * about the whole file. Fails at a damaged line, since further records may follow it.
 */
export async function* readUncounted(
  { runtime, setup, summary }: BatchRun,
  { path }: OutputOfRun,
): AsyncGenerator<E.Either<Failure, EncodedRecord>, void, undefined> {
  const { signal } = new AbortController()
  const { records: counted } = summary.sum()
  let position = 0
  for await (const old of readOldRecords(path, runtime.files, signal)) {
    if (E.isLeft(old)) yield old
    else if ('record' in old.right && position++ >= counted)
      yield E.right(encodeOldRecord(old.right, setup.plan))
  }
}
