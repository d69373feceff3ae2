import * as E from 'fp-ts/Either'
import { changeMembers, encode } from '../codec/json/draft'
import { type JsonValue, membersIn } from '../codec/json/json'
import { parseJson } from '../codec/json/parse'
import { type Failure, interrupted, validation } from '../failure/failure'
import type { BatchEnd } from '../runs/batch/batch-end'
import {
  type BatchItem,
  createItems,
  type EncodedRecord,
  encodeFailedRecord,
} from '../runs/batch/batch-item'
import { runBatchLoop } from '../runs/batch/batch-loop'
import type { BatchStep } from '../runs/batch/batch-setup'
import { createPacedSetup } from '../runs/batch/pace'
import { type BatchPlan, createBatchPlan } from '../runs/batch/plan'
import { createReuse, formatRecordKey, type Reuse } from '../runs/batch/reuse'
import { createSummaryBuilder, encodeSummary } from '../runs/batch/summary'
import { decodeRecord } from '../runs/record/decode'
import { decodeBatchArguments, type RowArgument } from './arguments'
import { describeTooLargeResult, maxResultBytes, type ResultMembers } from './result'
import {
  findArgumentModel,
  type Session,
  selectRequirementsAndPolicy,
  type ToolCall,
  warnOfOtherModels,
} from './tool-call'

/** The maximum number of rows in flight, as in `svc batch`. */
const maxConcurrency = 8

/** The maximum size of the records of a result, which leaves 16 KiB for the summary. */
const maxRecordsBytes = maxResultBytes - (16 << 10)

/**
 * Runs the `batch` tool: asks the same questions about every row, in order, until the records fill a result. Returns
 * the records that `svc batch` writes, without their digests, and its summary. `next` is the first row without a record.
 */
export const runBatchTool = async (
  session: Session,
  args: unknown,
  call: ToolCall,
): Promise<E.Either<Failure, ResultMembers>> => {
  const decoded = decodeBatchArguments(args)
  if (E.isLeft(decoded)) return decoded
  const { template, input: rows } = decoded.right
  const plan = createBatchPlan({
    template,
    ...selectRequirementsAndPolicy(session, template),
    // `batch` has no option for several orders of labels.
    orders: undefined,
    model: findArgumentModel(session, template),
    withState: false,
  })
  return E.isLeft(plan) ? plan : askRows(session, plan.right, rows, call)
}

/**
 * Asks the rows in groups, since a result has a maximum size. The first group is one row. Each further group has as many rows
 * as fit if their records are as large as the largest so far. The session stores records that do not fit, for the next call.
 */
const askRows = async (
  session: Session,
  plan: BatchPlan,
  rows: ReadonlyArray<RowArgument>,
  { client, reportProgress }: ToolCall,
): Promise<E.Either<Failure, ResultMembers>> => {
  const pace = { concurrency: maxConcurrency, rpm: undefined, failFast: false }
  const setup = {
    ...createPacedSetup(plan, client, pace),
    // Reuses the records that did not fit into the last result.
    reuse: createOverflowReuse(session, plan),
  }
  const items = rows.flatMap(createRowItems)
  const collector = createCollector()
  // The collector appends to both lists.
  const { records, overflowLines } = collector
  /** The end of the last group. */
  let batchEnd: BatchEnd = { kind: 'complete' }
  while (
    batchEnd.kind === 'complete' &&
    overflowLines.length === 0 &&
    records.length < items.length
  ) {
    const groupSize = Math.min(collector.countFittingRecords(), maxConcurrency)
    if (groupSize === 0) break
    const group = items.slice(records.length, records.length + groupSize)
    batchEnd = await runBatchLoop(createSteps(group), setup, async (newRecords) => {
      for (const record of newRecords) collector.add(replaceTooLargeRecord(record, plan, items))
      reportProgress(records.length, items.length)
      // The loop ends after its group, so it never has to stop early.
      return 'more'
    })
  }
  // A failure that ends the batch fails the call only if there are no records. Otherwise `next` shows the agent where to go on.
  if ('failure' in batchEnd && records.length === 0) return E.left(batchEnd.failure)
  // An interrupted call fails even with records, because nobody waits for its result.
  if (batchEnd.kind === 'interrupted') return E.left(interrupted)
  session.overflow = { model: plan.model, lines: overflowLines }
  const totals = collector.summaryBuilder.sum()
  warnOfOtherModels(session, plan, totals.models.keys())
  const isComplete = records.length === items.length
  const summary = encodeSummary(totals, {
    repeat: 1,
    attempts: setup.countAttempts(),
    complete: isComplete,
    hasGate: plan.requirements.length > 0,
    // A call has no option like --reuse, so the summary mentions reused answers only if there are some.
    reusesAnswers: false,
  })
  return E.right({ rows: records, next: isComplete ? undefined : records.length, summary })
}

/** Creates the items of a row: only one, because `batch` asks each row once. */
const createRowItems = (row: RowArgument, index: number): ReadonlyArray<BatchItem> => {
  const repeat = undefined
  return createItems({ index, line: index + 1, ...row }, repeat)
}

/** Creates a collector of records. Records that no longer fit into a result go to `overflowLines`. */
const createCollector = () => {
  const summaryBuilder = createSummaryBuilder()
  const records: JsonValue[] = []
  const overflowLines: Buffer[] = []
  let collectedBytes = 0
  // This initial value makes `countFittingRecords` return 1 before the first record.
  let largestRecordBytes = maxRecordsBytes
  return {
    summaryBuilder,
    records,
    /** The lines of the records that did not fit. */
    overflowLines,
    /** Adds a record to `records`, or to `overflowLines` if it does not fit. The summary counts the `tally` of a record that fits. */
    add: ({ line, tally }: EncodedRecord): void => {
      const record = dropDigests(line)
      const size = encode(record).length
      if (collectedBytes + size > maxRecordsBytes) {
        overflowLines.push(line)
        return
      }
      largestRecordBytes = records.length === 0 ? size : Math.max(largestRecordBytes, size)
      collectedBytes += size
      records.push(record)
      summaryBuilder.add(tally)
    },
    /** Returns how many further records fit if they are as large as the largest so far; 1 if there is none yet. */
    countFittingRecords: (): number =>
      Math.floor((maxRecordsBytes - collectedBytes) / largestRecordBytes),
  }
}

/** Yields the steps that make the batch loop ask about these items. */
async function* createSteps(
  items: ReadonlyArray<BatchItem>,
): AsyncGenerator<BatchStep, void, undefined> {
  for (const item of items) yield E.right({ item })
}

/** Replaces a record that is too large for any result by one that has the failure of its row. */
const replaceTooLargeRecord = (
  record: EncodedRecord,
  plan: BatchPlan,
  items: ReadonlyArray<BatchItem>,
): EncodedRecord => {
  const { index } = record.tally
  // A row has one item, so the index of the row is that of its item.
  const item = items[index]
  if (record.line.length <= maxRecordsBytes || item === undefined) return record
  const cause = `${describeTooLargeResult(record.line.length, maxRecordsBytes)}; ask fewer questions`
  return encodeFailedRecord(item, plan, validation(`rows[${index}]`, cause))
}

/** Removes the SHA-256 digests of a record, which agents do not need. */
const dropDigests = (line: Buffer): JsonValue => {
  const record = parseJson(line)
  // svc wrote the line, so it is always valid.
  if (E.isLeft(record)) return null
  const namesToDrop = ['state_sha256', 'questions_sha256']
  return changeMembers(membersIn(record.right), [], namesToDrop)
}

/**
 * Creates the source of answers from the records that did not fit into the last result. Returns `undefined` if there are none, or
 * if they are of another model.
 */
const createOverflowReuse = ({ overflow }: Session, plan: BatchPlan): Reuse | undefined => {
  if (overflow.lines.length === 0 || overflow.model !== plan.model) return undefined
  const linesByKey = new Map<string, Buffer>()
  for (const line of overflow.lines) {
    const record = decodeRecord(line)
    const key = E.isRight(record) ? formatRecordKey(record.right, plan) : undefined
    if (key !== undefined) linesByKey.set(key, line)
  }
  // The records are in memory, so the place of a record is its line, and reading it returns the line.
  return createReuse([linesByKey], async (line) => line)
}
