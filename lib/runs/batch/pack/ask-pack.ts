import * as E from 'fp-ts/Either'
import { encodeAsk } from '../../../client/call/encode-call'
import type { Destination } from '../../../client/providers/destination'
import { encode } from '../../../codec/json/draft'
import type { AskResponse } from '../../../codec/response'
import type { Failure } from '../../../failure/failure'
import { classify, isOutOfCredit, type Kind } from '../../../failure/report'
import { convertUsage } from '../../record/record'
import { askService } from '../ask-item'
import type { BatchItem, ItemAnswers } from '../batch-item'
import type { BatchSetup } from '../batch-setup'
import type { RequestSize } from '../cost'
import type { BatchPlan } from '../plan'
import { createPackRequest, splitPackResponse } from './pack-request'

/** The answer to an item of a pack. */
export type PackAnswer = {
  /** Set if the answers to its request lack token counts, so that the budget cannot be kept. */
  readonly isUnpriced?: boolean
} & (
  | { readonly kind: 'answered'; readonly answers: ItemAnswers }
  /** The request failed, and asking about fewer rows would not help. */
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** The item must be asked alone. */
  | { readonly kind: 'unanswered' }
)

/**
 * Asks about items in one request. If the service refuses it, asks about each half, and so on down to single items, which stay
 * unanswered. So one row that the service refuses costs two requests for each halving. Returns an answer for each item, in order.
 */
export const askPack = async (
  items: ReadonlyArray<BatchItem>,
  setup: BatchSetup,
): Promise<ReadonlyArray<PackAnswer>> => {
  if (items.length < 2) return items.map(() => ({ kind: 'unanswered' }))
  const { plan, client, budget, packing } = setup
  const request = createPackRequest(items, plan)
  const finishRequest = budget?.startRequest((destination) => measurePack(items, plan, destination))
  packing?.countRequest()
  const response = await askService(request, setup, client, { mayLackAnswers: true })
  const usage = E.isRight(response) ? convertUsage(response.right) : undefined
  const isUnpriced = finishRequest !== undefined && !finishRequest(usage)
  if (E.isLeft(response)) {
    if (isRefused(response.left)) return askHalves(items, setup)
    return items.map(() => ({ kind: 'failed', failure: response.left }))
  }
  const split = splitPackResponse(response.right, plan, items.length)
  const isLost = split.every((answers) => answers === undefined)
  const isRefusal = !isLost && isAllRefused(response.right)
  // No record carries the tokens of these answers.
  if (usage !== undefined && (isLost || isRefusal)) packing?.addLostUsage(usage)
  const answers = isRefusal ? await askHalves(items, setup) : split.map(toPackAnswer)
  return isUnpriced ? answers.map((answer) => ({ ...answer, isUnpriced })) : answers
}

/** Measures the request about several items. Fails if the service does not accept such requests. */
export const measurePack = (
  items: ReadonlyArray<BatchItem>,
  plan: BatchPlan,
  destination: Destination,
): E.Either<Failure, RequestSize> => {
  const encoded = encodeAsk(destination, createPackRequest(items, plan), plan.model)
  return E.isLeft(encoded)
    ? encoded
    : E.right({ bytes: encode(encoded.right.body).length, imageBytes: 0 })
}

const askHalves = async (
  items: ReadonlyArray<BatchItem>,
  setup: BatchSetup,
): Promise<ReadonlyArray<PackAnswer>> => {
  const middle = Math.ceil(items.length / 2)
  const halves = [items.slice(0, middle), items.slice(middle)]
  return (await Promise.all(halves.map((half) => askPack(half, setup)))).flat()
}

const toPackAnswer = (answers: ItemAnswers | undefined): PackAnswer =>
  answers === undefined ? { kind: 'unanswered' } : { kind: 'answered', answers }

/** The kinds of failures that the rows of a request can cause. */
const kindsOfRefusal: ReadonlySet<Kind> = new Set(['request', 'validation', 'invalid_response'])

const isRefused = (failure: Failure): boolean =>
  kindsOfRefusal.has(classify(failure).kind) && !isOutOfCredit(failure)

const isAllRefused = ({ answers }: AskResponse): boolean =>
  [...answers.values()].every(({ type }) => type === 'refusal')
