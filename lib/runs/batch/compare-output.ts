import * as E from 'fp-ts/Either'
import { type Draft, encodeText } from '../../codec/json/draft'
import { memberIn } from '../../codec/json/json'
import { type Failure, usage } from '../../failure/failure'
import type { RunRecord } from '../record/decode'
import { isAnswered } from '../record/outcome'
import { encodeHead, type RecordHead } from '../record/record'
import { type BatchItem, createRecordHead, type EncodedRecord, tallyRecord } from './batch-item'
import type { BatchRun } from './batch-run'
import { type OldRecord, readOldRecords } from './old-records'
import type { RunOutput } from './output'
import { type BatchPlan, judgeAnswers } from './plan'
import type { OpenItems } from './read-items'

/** An item of the input, and its record in the output. */
interface PairedRecord {
  readonly item: BatchItem
  readonly old: OldRecord
  /** The old record with its tally, which the summary counts. */
  readonly encoded: EncodedRecord
}

/**
 * Pairs each record of the output with its item of the input. Yields a failure and ends if a record belongs to another row, to other
 * questions, or to a run with other flags. A torn last line that is not the beginning of the next item's record is a failure too. If it
 * is that beginning, puts the item back into the input. Also ends after an interrupt.
 */
export async function* pairRecords(
  { runtime, setup }: BatchRun,
  { path }: RunOutput,
  { items }: OpenItems,
): AsyncGenerator<E.Either<Failure, PairedRecord>, void, undefined> {
  const { plan, interrupt } = setup
  const fail = (reason: string) => E.left(usage(`resume ${path}: ${reason}`))
  for await (const old of readOldRecords(path, runtime.files, interrupt)) {
    if (E.isLeft(old)) return yield old
    const next = await items.next()
    // After an interrupt the input ends early, so `next.done` does not mean that it has no more items.
    if (interrupt.aborted) return
    if ('torn' in old.right) {
      if (next.done || !isBeginningOf(old.right.torn, createRecordHead(next.value, plan)))
        return yield fail('its last line is not a record of this run')
      // The torn line is dropped, so the request of this item is sent again.
      items.putBack(next.value)
      return
    }
    const { record } = old.right
    if (next.done)
      return yield fail(`it has a record of row ${record.index}, but the input has no such row`)
    const difference = describeDifference(record, createRecordHead(next.value, plan), plan)
    if (difference !== undefined)
      return yield fail(`row ${next.value.row.index} of the input: ${difference}`)
    yield E.right({ item: next.value, old: old.right, encoded: encodeOldRecord(old.right, plan) })
  }
}

/** Converts an old record to an encoded record. Its line is unchanged, and its tally is computed again. */
const encodeOldRecord = ({ record, line }: OldRecord, plan: BatchPlan): EncodedRecord => {
  const isReused = memberIn(record.document, 'reused') === true
  return { line, tally: tallyRecord(record, plan, isReused) }
}

/** Returns `true` if a torn line can be the beginning of the record with this head: its members before the outcome. */
const isBeginningOf = (torn: Buffer, head: RecordHead): boolean => {
  const expected = encodeHead(head)
  const length = Math.min(torn.length, expected.length)
  return torn.subarray(0, length).equals(expected.subarray(0, length))
}

/** Describes a difference between a record and the one that this run would write; `undefined` if they match. */
const describeDifference = (
  record: RunRecord,
  head: RecordHead,
  plan: BatchPlan,
): string | undefined => {
  const { document, index, repetition, stateSha256, questionsSha256, outcome } = record
  if (index !== head.index) return `the file has row ${index} in its place`
  if (repetition !== head.repetition) return 'the file has it with another --repeat'
  if (questionsSha256 !== head.questionsSha256) return 'the file has other questions'
  // A record without a digest of the state is that of a row whose images could not be read. They may be readable now.
  const hadUnreadableImages =
    head.images !== undefined && !isAnswered(outcome) && stateSha256 === undefined
  const hasSameState = stateSha256 === head.stateSha256
  if (!hasSameState && !hadUnreadableImages) return 'the file has another state'
  if (isAnswered(outcome) && !plan.permuted.hasSameOrders(outcome.answers))
    return 'the file has it with another --permute'
  const { gate, policy } = isAnswered(outcome) ? judgeAnswers(plan, outcome.answers).members : {}
  const expectedMembers: Readonly<Record<string, Draft | undefined>> = {
    id: head.id,
    group: head.group,
    labels: head.labels && new Map<string, Draft>(head.labels),
    state: head.state,
    gate,
    policy,
  }
  for (const [name, expected] of Object.entries(expectedMembers))
    if (encodeMember(memberIn(document, name)) !== encodeMember(expected))
      return `the file has another "${name}"`
  return undefined
}

const encodeMember = (value: Draft | undefined): string | undefined =>
  value === undefined ? undefined : encodeText(value)

/** Resolves with `true` if the output has the record of a failed row before its first invalid line, which is reported later. */
export const hasFailedRecords = async (
  { runtime, setup }: BatchRun,
  { path }: RunOutput,
): Promise<boolean> => {
  for await (const old of readOldRecords(path, runtime.files, setup.interrupt))
    if (E.isRight(old) && 'record' in old.right && !isAnswered(old.right.record.outcome))
      return true
  return false
}

/**
 * Reads the records of the output that the summary has not counted yet. An interrupt does not stop this, because the summary
 * covers the whole file. Yields a failure at an invalid line, because more records may follow it.
 */
export async function* readUncounted(
  { runtime, setup, summary }: BatchRun,
  { path }: RunOutput,
): AsyncGenerator<E.Either<Failure, EncodedRecord>, void, undefined> {
  const { signal: neverAborted } = new AbortController()
  const { records: countedRecords } = summary.sum()
  let position = 0
  for await (const old of readOldRecords(path, runtime.files, neverAborted)) {
    if (E.isLeft(old)) {
      yield old
    } else if ('record' in old.right) {
      // The summary has counted the first records.
      if (position >= countedRecords) yield E.right(encodeOldRecord(old.right, setup.plan))
      position += 1
    }
  }
}
