import * as E from 'fp-ts/Either'
import { type AnswerOptions, askCheckedRequest } from '../../client/call/client'
import type { AskRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import { type Failure, nameProvider } from '../../failure/failure'
import { classify, isOutOfCredit } from '../../failure/report'
import { convertUsage } from '../record/record'
import type { ItemEnd } from './batch-end'
import {
  type BatchItem,
  createItemRequest,
  type EncodedRecord,
  encodeAnsweredRecord,
  encodeFailedRecord,
} from './batch-item'
import type { BatchSetup, BatchStep } from './batch-setup'
import { measureRequest } from './cost'

/** The result of processing an item. Without `record`, neither the item nor a later item is recorded. */
export interface ItemResult {
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
export const processItem = async (step: BatchStep, setup: BatchSetup): Promise<ItemResult> => {
  if (E.isLeft(step)) return { itemEnd: { kind: 'refused', failure: step.left } }
  const { item, record: oldRecord } = step.right
  if (oldRecord !== undefined) return { record: oldRecord }

  const { plan, reuse } = setup
  // An item without reusable answers must reach `startRequest` without an `await`, so `has` is asked first.
  const reused = reuse?.has(item) ? await reuse.find(item) : undefined
  if (reused === undefined) return askItem(item, setup)
  return { record: encodeAnsweredRecord(item, plan, { ...reused, isReused: true }) }
}

/** Asks about one item, and encodes the answers or the failure. An invalid row fails without a request. */
export const askItem = async (item: BatchItem, setup: BatchSetup): Promise<ItemResult> => {
  const { plan, client, budget } = setup
  // The request is added to the budget before the next `await`, when the loop checks the budget for the next item.
  const finishRequest = budget?.startRequest((destination) =>
    measureRequest(item, plan, destination),
  )
  const request = await createItemRequest(item, plan)
  const answer = E.isLeft(request) ? request : await askService(request.right, setup, client)
  const usage = E.isRight(answer) ? convertUsage(answer.right) : undefined
  const isUnpriced = finishRequest !== undefined && !finishRequest(usage)

  if (E.isLeft(answer)) return recordFailure(item, answer.left, setup)
  const record = encodeAnsweredRecord(item, plan, { response: answer.right, isReused: false })
  return isUnpriced ? { record, itemEnd: { kind: 'unpriced', index: item.row.index } } : { record }
}

/** Sends a request. With `--permute`, combines the answers to the orders of a choice. Fails as the call does. */
export const askService = async (
  request: AskRequest,
  { plan: { permuted, model } }: Pick<BatchSetup, 'plan'>,
  client: BatchSetup['client'],
  options?: AnswerOptions,
): Promise<E.Either<Failure, AskResponse>> => {
  const answer = await askCheckedRequest(client, request, model, options)
  return E.isLeft(answer)
    ? E.left(answer.left.failure)
    : E.right(permuted.combineAnswers(answer.right.value))
}

/** Decides whether a failed item is recorded, and whether it ends the run. */
export const recordFailure = (
  item: BatchItem,
  failure: Failure,
  { plan, client, failFast, keepGoing }: BatchSetup,
): ItemResult => {
  const { kind } = classify(failure)
  // The item is not recorded. The loop itself determines the reason for the end of the run.
  if (kind === 'interrupted') return {}
  if (kind === 'auth') return { itemEnd: { kind: 'auth', failure } }
  if (isOutOfCredit(failure) && !keepGoing) return { itemEnd: { kind: 'no_credit', failure } }
  // The failure of an invalid row, which was not sent, names no provider yet.
  const named = nameProvider(failure, client.destination.providerName)
  const record = encodeFailedRecord(item, plan, named)
  return failFast ? { record, itemEnd: { kind: 'stopped', by: 'fail_fast' } } : { record }
}
