import * as E from 'fp-ts/Either'
import { askCheckedRequest, type ServiceClient } from '../../client/call/client'
import type { AskRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import type { Failure } from '../../failure/failure'
import { classify, isOutOfCredit } from '../../failure/report'
import { convertUsage } from '../record/record'
import { type ItemOutcome, type OutputDemand, processInOrder } from '../record/reorder-window'
import { type BatchEnd, createSameFailureDetector, type ItemEnd } from './batch-end'
import {
  type BatchItem,
  checkState,
  createItemRequest,
  type EncodedRecord,
  encodeAnsweredRecord,
  encodeFailedRecord,
} from './batch-item'
import type { Budget } from './cost'
import type { BatchPlan } from './plan'
import type { Reuse } from './reuse'

/** The next item of a run, and its record if the output already has it. A failure ends the run. */
export type BatchStep = E.Either<
  Failure,
  { readonly item: BatchItem; readonly record?: EncodedRecord }
>

/** The plan, client and limits of a run. */
export interface BatchSetup {
  /** The questions of the run, and the rules for their answers. */
  readonly plan: BatchPlan
  readonly client: ServiceClient
  /** Cancels all calls in flight. */
  readonly callController: AbortController
  /** Fires when the user interrupts the program. */
  readonly interrupt: AbortSignal
  readonly concurrency: number
  readonly failFast: boolean
  /** `true` if the run continues without credit, and after the first rows have failed with the same error. */
  readonly keepGoing?: boolean | undefined
  /** The answers of earlier runs. They are recorded without another request. */
  readonly reuse?: Reuse | undefined
  /** The budget of the run; unlimited if `undefined`. */
  readonly budget?: Budget | undefined
}

/** The maximum number of items in memory, as a multiple of the concurrency. */
const itemsPerConcurrentCall = 4

/** 64 MiB. No item starts while more bytes of records than this wait for the record of an earlier item. */
const maxWaitingBytes = 64 << 20

/**
 * Runs the loop of a batch. The path of an item:
 *
 * 1. `steps` reads the item, as soon as the limits on items in progress and in memory allow it.
 * 2. `processItem` creates its record: from an earlier run, or by a request. Several items are processed at the same time.
 * 3. The record waits until all earlier records are ready.
 * 4. `write` writes the records in the order of the rows, and adds them to the summary.
 *
 * Resolves with the reason for the end of the run. Rejects if `steps` or `write` rejects.
 */
export const runBatchLoop = async (
  steps: AsyncIterable<BatchStep>,
  setup: BatchSetup,
  write: (records: ReadonlyArray<EncodedRecord>) => Promise<OutputDemand>,
): Promise<BatchEnd> => {
  const { callController, interrupt, concurrency, keepGoing, budget } = setup
  let end: BatchEnd | undefined
  async function* readSteps(): AsyncGenerator<BatchStep, void, undefined> {
    for await (const step of steps) {
      if (end === undefined && budget?.isReached() && needsRequest(step, setup))
        end = { kind: 'stopped', by: 'max_cost' }
      if (end !== undefined) return
      yield step
    }
  }
  const processStep = async (step: BatchStep): Promise<ItemOutcome<EncodedRecord>> => {
    const { record, itemEnd } = await processItem(step, setup)
    if (record !== undefined) {
      // A recorded item does not override the end by another item.
      end ??= itemEnd
      return { result: record, isLast: itemEnd !== undefined }
    }
    // This item gets no record. Its end overrides that of a later item, which may have failed earlier.
    end = itemEnd ?? end
    if (itemEnd?.kind === 'auth' || itemEnd?.kind === 'no_credit') callController.abort()
    return 'discard'
  }
  const detectSameFailure = createSameFailureDetector()
  const writeRecords = async (records: ReadonlyArray<EncodedRecord>) => {
    const sameFailure = keepGoing ? undefined : detectSameFailure(records)
    if (sameFailure === undefined) {
      const demand = await write(records)
      if (demand === 'enough') end = { kind: 'stdout_closed' }
      return demand
    }
    // The failure at which the run stops is its last record.
    const demand = await write(records.slice(0, sameFailure.count))
    end =
      demand === 'enough'
        ? { kind: 'stdout_closed' }
        : { kind: 'alike', failure: sameFailure.failure }
    return 'enough'
  }
  const bounds = { concurrency, maxItems: concurrency * itemsPerConcurrentCall, maxWaitingBytes }
  try {
    await processInOrder(readSteps(), bounds, processStep, ({ line }) => line.length, writeRecords)
  } finally {
    // Calls of items that were not recorded may still be in flight.
    if (end !== undefined || interrupt.aborted) callController.abort()
  }
  // An interrupt overrides `stopped`, but no other reason for the end.
  const isOverriddenByInterrupt = end === undefined || end.kind === 'stopped'
  if (interrupt.aborted && isOverriddenByInterrupt) return { kind: 'interrupted' }
  return end ?? { kind: 'complete' }
}

/** Returns `true` if svc must send a request for an item, because no record or answer exists and its row is valid. */
const needsRequest = (step: BatchStep, { reuse }: BatchSetup): boolean => {
  if (E.isLeft(step) || step.right.record !== undefined) return false
  const { item } = step.right
  return E.isRight(checkState(item)) && !reuse?.has(item)
}

/** The result of processing an item. Without `record`, neither the item nor a later item is recorded. */
interface ItemResult {
  readonly record?: EncodedRecord
  /** The reason to end the run. No later item is recorded. */
  readonly itemEnd?: ItemEnd
}

/**
 * Creates the record of an item:
 *
 * 1. If the output already has the record, returns it.
 * 2. If an earlier run has the answers, encodes them.
 * 3. Otherwise sends the request, and encodes the answers or the failure. An invalid row fails without a request.
 */
const processItem = async (step: BatchStep, setup: BatchSetup): Promise<ItemResult> => {
  if (E.isLeft(step)) return { itemEnd: { kind: 'mismatch', failure: step.left } }
  const { item, record: oldRecord } = step.right
  if (oldRecord !== undefined) return { record: oldRecord }

  const { plan, client, reuse, budget } = setup
  // An item without reusable answers must reach `startRequest` without an `await`, so `has` is asked first.
  const reused = reuse?.has(item) ? await reuse.find(item) : undefined
  if (reused !== undefined)
    return { record: encodeAnsweredRecord(item, plan, { response: reused, isReused: true }) }

  // The request is added to the budget before the next `await`, when the loop checks the budget for the next item.
  const finishRequest = budget?.startRequest(item)
  const request = await createItemRequest(item, plan)
  const answer = E.isLeft(request) ? request : await askService(request.right, plan, client)
  const usage = E.isRight(answer) ? convertUsage(answer.right) : undefined
  const isUnpriced = finishRequest !== undefined && !finishRequest(usage)

  if (E.isLeft(answer)) return handleFailure(item, answer.left, setup)
  const record = encodeAnsweredRecord(item, plan, { response: answer.right, isReused: false })
  return isUnpriced ? { record, itemEnd: { kind: 'unpriced', index: item.row.index } } : { record }
}

/** Sends a request. With `--permute`, combines the answers to the orders of a choice. Fails as the call does. */
const askService = async (
  request: AskRequest,
  { permuted, model }: BatchPlan,
  client: ServiceClient,
): Promise<E.Either<Failure, AskResponse>> => {
  const answer = await askCheckedRequest(client, request, model)
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
  // The item is not recorded. The loop itself determines the reason for the end of the run.
  if (kind === 'interrupted') return {}
  if (kind === 'auth') return { itemEnd: { kind: 'auth', failure } }
  if (isOutOfCredit(failure) && !keepGoing) return { itemEnd: { kind: 'no_credit', failure } }
  const record = encodeFailedRecord(item, plan, failure)
  return failFast ? { record, itemEnd: { kind: 'stopped', by: 'fail_fast' } } : { record }
}
