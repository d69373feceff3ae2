import * as E from 'fp-ts/Either'
import { encodeAsk } from '../../client/call/encode-call'
import type { Destination } from '../../client/providers/destination'
import { encode } from '../../codec/json/draft'
import { type Failure, usage } from '../../failure/failure'
import type { RecordedUsage } from '../record/record'
import { type BatchItem, checkState } from './batch-item'
import { type BatchPlan, createBatchRequest } from './plan'

/** The price of a million tokens, in any currency. */
export interface TokenPrice {
  readonly input: number
  readonly output: number
}

/** The price of input tokens, and after a slash that of output tokens: `0.5` or `0.5/1.5`. */
const pricePattern = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(\d{1,9}(?:\.\d{1,9})?))?$/

/**
 * Parses the value of `flag`, `<input>[/<output>]`; `undefined` without a value. Output tokens are free if only one price is given.
 * Fails with a usage error.
 */
export const parsePrice = (
  text: string | undefined,
  flag = '--price',
): E.Either<Failure, TokenPrice | undefined> => {
  if (text === undefined) return E.right(undefined)
  // Without a match, `input` is `undefined`, so the text is refused below.
  const [, input, output = '0'] = pricePattern.exec(text) ?? []
  return input === undefined
    ? E.left(usage(`${flag} must be <input>[/<output>] for a million tokens, got ${text}`))
    : E.right({ input: Number(input), output: Number(output) })
}

/** Computes the cost of tokens, in the currency of the price. */
export const computeCost = (
  { input, output }: TokenPrice,
  tokens: { readonly input: number; readonly output: number },
): number => roundCost((tokens.input * input + tokens.output * output) / 1_000_000)

/** Rounds a cost to 12 significant digits, to remove the rounding errors of binary fractions. */
export const roundCost = (cost: number): number => Number(cost.toPrecision(12))

/** Returns `true` if the service counted all tokens that have a price above 0. */
export const canComputeCost = ({ input, output }: TokenPrice, tokens: RecordedUsage): boolean =>
  (tokens.input !== null || input === 0) && (tokens.output !== null || output === 0)

/** The size of requests in bytes. */
export interface RequestSize {
  /** The whole size, including images. */
  readonly bytes: number
  /** The size of the images, in base64. */
  readonly imageBytes: number
}

/** A rough estimate of the bytes per token of a request. */
const bytesPerToken = 4

/** Estimates the input tokens of requests from their size. Ignores images, whose tokens depend on pixels instead of bytes. */
export const estimateTokens = ({ bytes, imageBytes }: RequestSize): number =>
  Math.ceil((bytes - imageBytes) / bytesPerToken)

/** Replaces the base64 text of each image in a request that is only measured. */
const placeholderBase64 = 'AAAA'

/**
 * Measures the request of an item, without reading its images. Fails with a validation error if the row is invalid or
 * the service does not accept such requests.
 */
export const measureRequest = (
  item: BatchItem,
  plan: BatchPlan,
  destination: Destination,
): E.Either<Failure, RequestSize> => {
  const state = checkState(item)
  if (E.isLeft(state)) return state
  const images = item.images.map(({ name, format }) => ({
    name,
    format,
    base64: placeholderBase64,
  }))
  const request = createBatchRequest(plan, state.right, images)
  const encoded = encodeAsk(destination, request, plan.model)
  if (E.isLeft(encoded)) return encoded
  const imageBytes = item.images.reduce((sum, { size }) => sum + base64Length(size), 0)
  const placeholderBytes = images.length * placeholderBase64.length
  return E.right({
    bytes: encode(encoded.right.body).length - placeholderBytes + imageBytes,
    imageBytes,
  })
}

/** Returns the length in base64, which encodes every three bytes, and the remaining one or two, as four characters. */
const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** The budget of `--max-cost`. */
export interface Budget {
  /** Returns `true` if the spent cost plus the expected cost of the requests in flight is at least the budget. */
  readonly isReached: () => boolean
  /** Adds a request to those in flight. `measure` returns its size. Call the returned function when the request is over. */
  readonly startRequest: (measure: MeasureRequest) => FinishRequest
}

/** Measures a request to a service. Fails if it cannot be sent. */
export type MeasureRequest = (destination: Destination) => E.Either<Failure, RequestSize>

/**
 * Removes a request from those in flight, and adds the cost of its answer to the spent cost. `tokens` is `undefined` if there was no
 * answer. Returns `false` if the cost of the answer is unknown.
 */
type FinishRequest = (tokens: RecordedUsage | undefined) => boolean

interface BudgetOptions {
  readonly maxCost: number
  readonly price: TokenPrice
  readonly destination: Destination
}

/**
 * Creates a budget. The expected cost of a request in flight is the mean cost of the answers so far, or the cost of its estimated input
 * tokens if that is more.
 */
export const createBudget = (options: BudgetOptions): Budget => {
  const { maxCost, price, destination } = options
  let spentCost = 0
  let answerCount = 0
  // A set of objects, because several requests may have the same estimated cost.
  const inFlight = new Set<{ readonly estimatedCost: number }>()
  return {
    isReached: () => {
      const meanCost = answerCount === 0 ? 0 : spentCost / answerCount
      let expectedCost = 0
      for (const { estimatedCost } of inFlight) expectedCost += Math.max(meanCost, estimatedCost)
      return spentCost + expectedCost >= maxCost
    },
    startRequest: (measure) => {
      const size = measure(destination)
      // A request that cannot be sent costs nothing, such as that of an invalid row.
      const input = E.isRight(size) ? estimateTokens(size.right) : 0
      const request = { estimatedCost: computeCost(price, { input, output: 0 }) }
      inFlight.add(request)
      return (tokens) => {
        inFlight.delete(request)
        // A request without an answer counts as free, so its cost is known.
        if (tokens === undefined) return true
        answerCount += 1
        // Uncounted tokens count as free here. The run ends after an answer whose cost is unknown.
        spentCost += computeCost(price, { input: tokens.input ?? 0, output: tokens.output ?? 0 })
        return canComputeCost(price, tokens)
      }
    },
  }
}
