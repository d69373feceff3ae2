import * as E from 'fp-ts/Either'
import type { ServiceClient } from '../../client/call/call-context'
import { askChecked } from '../../client/call/client'
import type { AskRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import { classify, isOutOfCredit } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import { convertUsage } from '../record/outcome'
import { type ItemOutcome, processInOrder } from '../record/reorder-window'
import { type BatchEnd, createSameFailureDetector, type ItemEnd } from './batch-end'
import { type BatchItem, checkState, createItemRequest } from './batch-item'
import type { Budget } from './cost'
import { type EncodedRecord, encodeAnswer, encodeFailure } from './encode-record'
import type { BatchPlan } from './plan'
import type { Reuse } from './reuse'

/** The next item of a run, with its record if the output already holds it. A failure ends the run. */
export type BatchStep = E.Either<
  Failure,
  { readonly item: BatchItem; readonly record?: EncodedRecord }
>

/** The plan, client and limits of a run. */
export interface BatchSetup {
  readonly plan: BatchPlan
  readonly client: ServiceClient
  /** Aborting this cancels every call of the client that is in flight. */
  readonly halt: AbortController
  /** Fires when the user interrupts the program. */
  readonly interrupt: AbortSignal
  readonly concurrency: number
  readonly failFast: boolean
  /** Asks on when the account has no credit left, and when the first rows fail alike. */
  readonly keepGoing?: boolean | undefined
  /** The answers of earlier runs, which are not asked for again. */
  readonly reuse?: Reuse | undefined
  /** The budget of the run; unlimited if `undefined`. */
  readonly budget?: Budget | undefined
}

/** The maximum of items in memory, as a multiple of those that may be asked at the same time. */
const windowFactor = 4

/** No new item starts while more bytes of records than this wait for an earlier item. */
const maxWaitingBytes = 64 << 20

/**
 * Runs the loop of a batch. The path of an item:
 *
 * 1. `steps` reads it, no faster than the window has room.
 * 2. `processItem` makes its record: takes it from an earlier run, or asks, judges the answers and encodes the record.
 *    Several items are processed at the same time.
 * 3. The record waits in the reorder window until all earlier ones are ready.
 * 4. `write` writes the records in the order of the rows, whole lines only, and adds them to the summary.
 *
 * Resolves with the reason why no further item is asked. Rejects if reading the steps or `write` does.
 */
export const runBatchLoop = async (
  steps: AsyncIterable<BatchStep>,
  setup: BatchSetup,
  write: (records: ReadonlyArray<EncodedRecord>) => Promise<'more' | 'enough'>,
): Promise<BatchEnd> => {
  const { halt, interrupt, concurrency, keepGoing, budget } = setup
  let end: BatchEnd | undefined
  async function* readSteps(): AsyncGenerator<BatchStep, void, undefined> {
    for await (const step of steps) {
      if (end === undefined && budget?.isReached() && needsRequest(step, setup))
        end = { kind: 'stopped', by: 'max_cost' }
      if (end !== undefined) return
      yield step
    }
  }
  const process = async (step: BatchStep): Promise<ItemOutcome<EncodedRecord>> => {
    const { record, end: reason } = await processItem(step, setup)
    if (record !== undefined) {
      end ??= reason
      return { result: record, last: reason !== undefined }
    }
    // A row that must not be recorded overrides a later row that has stopped the run before.
    end = reason ?? end
    if (reason?.kind === 'auth' || reason?.kind === 'no_credit') halt.abort()
    return 'none'
  }
  const findAlikeFailures = createSameFailureDetector()
  const writeRecords = async (records: ReadonlyArray<EncodedRecord>) => {
    const alike = keepGoing ? undefined : findAlikeFailures(records)
    const wanted = await write(alike === undefined ? records : records.slice(0, alike.count))
    if (wanted === 'enough') end = { kind: 'unread' }
    else if (alike !== undefined) end = { kind: 'alike', failure: alike.failure }
    return alike === undefined ? wanted : 'enough'
  }
  const bounds = { concurrency, maxItems: concurrency * windowFactor, maxWaitingBytes }
  try {
    await processInOrder(readSteps(), bounds, process, ({ line }) => line.length, writeRecords)
  } finally {
    // When all records are written, no call is in flight.
    if (end !== undefined || interrupt.aborted) halt.abort()
  }
  if (interrupt.aborted && (end === undefined || end.kind === 'stopped'))
    return { kind: 'interrupted' }
  return end ?? { kind: 'complete' }
}

const needsRequest = (step: BatchStep, { reuse }: BatchSetup): boolean => {
  if (E.isLeft(step) || step.right.record !== undefined) return false
  const { item } = step.right
  return E.isRight(checkState(item)) && !reuse?.has(item)
}

/** The result of an item. Without `record` neither the item nor any later one gets a record. */
interface ItemResult {
  readonly record?: EncodedRecord
  /** If this is given, no later item gets a record. */
  readonly end?: ItemEnd
}

/**
 * Makes the record of an item. The steps, of which the first that has a result is the last:
 *
 * 1. take the record that the output already holds
 * 2. take the answers of an earlier run
 * 3. make the request, which fails for an invalid row
 * 4. ask the service
 * 5. judge the answers and encode the record, or encode the failure
 */
const processItem = async (step: BatchStep, setup: BatchSetup): Promise<ItemResult> => {
  if (E.isLeft(step)) return { end: { kind: 'mismatch', failure: step.left } }
  const { item, record: oldRecord } = step.right
  if (oldRecord !== undefined) return { record: oldRecord }

  const { plan, client, reuse, budget } = setup
  const reused = reuse?.has(item) ? await reuse.find(item) : undefined
  if (reused !== undefined) return { record: encodeAnswer(item, plan, reused, true) }

  // Before anything else is awaited, so that the next item sees what this one may cost.
  const noteCost = budget?.start(item)
  const request = await createItemRequest(item, plan)
  const answer = E.isLeft(request) ? request : await askService(request.right, plan, client)
  const isCostKnown = noteCost?.(E.isRight(answer) ? convertUsage(answer.right) : undefined) ?? true

  if (E.isLeft(answer)) return handleFailure(item, answer.left, setup)
  const record = encodeAnswer(item, plan, answer.right)
  return isCostKnown ? { record } : { record, end: { kind: 'unpriced', index: item.row.index } }
}

/** Sends a request, and merges the answers to a choice that is asked in several orders. Fails as the call does. */
const askService = async (
  request: AskRequest,
  { permuted, model }: BatchPlan,
  client: ServiceClient,
): Promise<E.Either<Failure, AskResponse>> => {
  const answer = await askChecked(request, model)(client)()
  return E.isLeft(answer)
    ? E.left(answer.left.failure)
    : E.right(permuted.combineAnswers(answer.right.value))
}

/** Decides whether a failed item is recorded, and whether it ends the run. */
const handleFailure = (
  item: BatchItem,
  failure: Failure,
  { plan, failFast, keepGoing }: BatchSetup,
): ItemResult => {
  const { kind } = classify(failure)
  if (kind === 'interrupted') return {}
  if (kind === 'auth') return { end: { kind: 'auth', failure } }
  if (isOutOfCredit(failure) && !keepGoing) return { end: { kind: 'no_credit', failure } }
  const record = encodeFailure(item, plan, failure)
  return failFast ? { record, end: { kind: 'stopped', by: 'fail_fast' } } : { record }
}
