import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { changeMembers, encode } from '../codec/json/draft'
import { type JsonValue, membersIn } from '../codec/json/json'
import { parseJson } from '../codec/json/parse'
import { type Failure, interrupted, validation } from '../failure/failure'
import type { BatchEnd } from '../runs/batch/batch-end'
import { type BatchItem, createItems } from '../runs/batch/batch-item'
import { type BatchStep, runBatchLoop } from '../runs/batch/batch-loop'
import { type EncodedRecord, encodeFailure } from '../runs/batch/encode-record'
import { createPacedSetup } from '../runs/batch/pace'
import { makePlan, type Plan } from '../runs/batch/plan'
import { createReuse, formatRecordKey, type Reuse } from '../runs/batch/reuse'
import { createSummaryBuilder, encodeSummary } from '../runs/batch/summary'
import { decodeRecord } from '../runs/record/decode'
import { type BatchArguments, readBatchArguments } from './arguments'
import { describeSize, maxResultBytes, type ResultMembers } from './result'
import { modelOf, noteModels, type Session, selectJudges, type ToolCall } from './session'

/** How many rows are asked at the same time: as many as `svc batch` asks. */
const maxConcurrency = 8

/** The bytes of a result that are for records. The rest is for the summary. */
const maxRecordsBytes = maxResultBytes - (16 << 10)

/**
 * Runs the `batch` tool: asks the same questions about every row, in order, until the records fill a result. Returns
 * the records that `svc batch` writes, without their digests, and its summary. `next` is the first row without a record.
 */
export const runBatchTool =
  (session: Session, given: unknown, call: ToolCall): TE.TaskEither<Failure, ResultMembers> =>
  async () => {
    const asked = readBatchArguments(given)
    if (E.isLeft(asked)) return asked
    const { template, rows } = asked.right
    const plan = makePlan({
      template,
      ...selectJudges(session, template),
      orders: undefined,
      model: modelOf(session, template),
      withState: false,
    })
    return E.isLeft(plan) ? plan : askRows(session, plan.right, rows, call)
  }

/**
 * Asks the rows in groups. The first row is asked on its own and shows how many bytes a record takes; each further group
 * has as many rows as will then fit. Records that do not fit after all are kept for the next call.
 */
const askRows = async (
  session: Session,
  plan: Plan,
  rows: BatchArguments['rows'],
  { client, progress }: ToolCall,
): Promise<E.Either<Failure, ResultMembers>> => {
  const speed = { concurrency: maxConcurrency, rpm: undefined, failFast: false }
  const setup = { ...createPacedSetup(plan, client, speed), reuse: reuseLeftOver(session, plan) }
  const items = rows.flatMap(({ id, state }, index) =>
    createItems({ index, line: index + 1, ...(id !== undefined && { id }), state }, undefined),
  )
  const { records, leftOver, sums, add, countRoom } = createCollector()
  let end: BatchEnd = { is: 'complete' }
  while (end.is === 'complete' && leftOver.length === 0 && records.length < items.length) {
    const count = Math.min(countRoom(), maxConcurrency)
    const group = items.slice(records.length, records.length + count)
    if (group.length === 0) break
    end = await runBatchLoop(stepsOf(group), setup, async (written) => {
      for (const one of written) add(boundRecord(one, plan, items))
      progress(records.length, items.length)
      return 'more'
    })
  }
  if ('failure' in end && records.length === 0) return E.left(end.failure)
  if (end.is === 'interrupted') return E.left(interrupted)
  session.leftOver = { model: plan.model, lines: leftOver }
  const sum = sums.sum()
  noteModels(session, plan, sum.models.keys())
  const isComplete = records.length === items.length
  const course = {
    repeat: 1,
    attempts: setup.attempts(),
    complete: isComplete,
    gated: plan.requirements.length > 0,
    reuses: false,
  }
  const next = isComplete ? undefined : records.length
  return E.right({ rows: records, next, summary: encodeSummary(sum, course) })
}

/** Collects records until they fill a result. */
const createCollector = () => {
  const sums = createSummaryBuilder()
  const records: JsonValue[] = []
  const leftOver: Buffer[] = []
  let bytes = 0
  let maxRecordBytes = maxRecordsBytes
  return {
    sums,
    records,
    /** The lines of the records that did not fit. */
    leftOver,
    add: ({ line, tally }: EncodedRecord): void => {
      const record = dropDigests(line)
      const size = encode(record).length
      if (bytes + size > maxRecordsBytes) {
        leftOver.push(line)
        return
      }
      maxRecordBytes = records.length === 0 ? size : Math.max(maxRecordBytes, size)
      bytes += size
      records.push(record)
      sums.add(tally)
    },
    /** How many further records fit if they are as large as the largest so far; 1 if there is none yet. */
    countRoom: (): number => Math.floor((maxRecordsBytes - bytes) / maxRecordBytes),
  }
}

async function* stepsOf(
  items: ReadonlyArray<BatchItem>,
): AsyncGenerator<BatchStep, void, undefined> {
  for (const item of items) yield E.right({ item })
}

/** Replaces a record that no result can hold by one that says so. */
const boundRecord = (
  written: EncodedRecord,
  plan: Plan,
  items: ReadonlyArray<BatchItem>,
): EncodedRecord => {
  const item = items[written.tally.index]
  if (written.line.length <= maxRecordsBytes || item === undefined) return written
  const cause = `${describeSize(written.line.length, maxRecordsBytes)}; ask fewer questions`
  return encodeFailure(item, plan, validation(`rows[${written.tally.index}]`, cause))
}

/** A record without the digests, which agents have no use for. */
const dropDigests = (line: Buffer): JsonValue => {
  const record = parseJson(line)
  if (E.isLeft(record)) return null
  return changeMembers(membersIn(record.right), [], ['state_sha256', 'questions_sha256'])
}

/** Finds answers to this batch's questions among the records that did not fit into the last result. */
const reuseLeftOver = ({ leftOver }: Session, plan: Plan): Reuse | undefined => {
  if (leftOver.lines.length === 0 || leftOver.model !== plan.model) return undefined
  const places = new Map<string, Buffer>()
  for (const line of leftOver.lines) {
    const record = decodeRecord(line, 1, 0)
    const key = E.isRight(record) ? formatRecordKey(record.right, plan) : undefined
    if (key !== undefined) places.set(key, line)
  }
  return createReuse([places], async (line) => line)
}
