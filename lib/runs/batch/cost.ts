import * as E from 'fp-ts/Either'
import { encodeAsk } from '../../client/call/encode-ask'
import type { Destination } from '../../client/providers/destination'
import { encode } from '../../codec/json/draft'
import { type Failure, usage } from '../../failure/failure'
import type { RecordedUsage } from '../record/outcome'
import { type BatchItem, checkState } from './batch-item'
import { type BatchPlan, createBatchRequest } from './plan'

/** The price of a million tokens, in any currency. */
export interface Price {
  readonly input: number
  readonly output: number
}

/** Parses `<input>[/<output>]`, the value of `--price` or of the flag named. Fails with a usage error. */
export const parsePrice = (
  text: string | undefined,
  flag = '--price',
): E.Either<Failure, Price | undefined> => {
  if (text === undefined) return E.right(undefined)
  const [, input, output = '0'] =
    /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(\d{1,9}(?:\.\d{1,9})?))?$/.exec(text) ?? []
  return input === undefined
    ? E.left(usage(`${flag} must be <input>[/<output>] for a million tokens, got ${text}`))
    : E.right({ input: Number(input), output: Number(output) })
}

/** Computes the cost of tokens. */
export const computeCost = (
  { input, output }: Price,
  tokens: { input: number; output: number },
): number => tidyCost((tokens.input * input + tokens.output * output) / 1_000_000)

/** Removes the rounding errors of binary fractions. */
export const tidyCost = (cost: number): number => Number(cost.toPrecision(12))

/** Returns `true` if the service counted the tokens that have a price. */
export const hasCost = ({ input, output }: Price, tokens: RecordedUsage): boolean =>
  (tokens.input !== null || input === 0) && (tokens.output !== null || output === 0)

/** A rough estimate of how many bytes of a request make one token. */
const bytesPerToken = 4

/** Estimates input tokens from the size of requests, without their images: services count these by their pixels. */
export const estimateTokens = ({ bytes, imageBytes }: RequestSize): number =>
  Math.ceil((bytes - imageBytes) / bytesPerToken)

/** The size of a request in bytes, and how much of it is images. */
interface RequestSize {
  readonly bytes: number
  readonly imageBytes: number
}

/** Stands in for the base64 text of an image whose request is only measured. */
const placeholderBase64 = 'AAAA'

/**
 * Measures the request about an item, without reading its images. Fails with a validation error if the row is invalid or
 * the service cannot be asked about it.
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
  const written = encodeAsk(destination, request, plan.model)
  if (E.isLeft(written)) return written
  const imageBytes = item.images.reduce((sum, { bytes }) => sum + base64Length(bytes), 0)
  const placeholderBytes = images.length * placeholderBase64.length
  return E.right({
    bytes: encode(written.right.body).length - placeholderBytes + imageBytes,
    imageBytes,
  })
}

/** Base64 writes each three bytes, begun or whole, as four characters. */
const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** Counts what a run spends, and decides when it may not start another row. */
export interface Budget {
  /** Returns `true` if no new row may start: what is spent and what is in flight add up to the budget. */
  readonly isReached: () => boolean
  /**
   * Notes that an item is asked. Call the returned function with the tokens of the answer, or with
   * nothing if there was no answer. It returns `false` if the cost of the answer is unknown.
   */
  readonly start: (item: BatchItem) => (tokens?: RecordedUsage) => boolean
}

/**
 * Creates a budget of which nothing is spent. A request in flight counts with the mean cost of the answers so far, or with the
 * estimate from its size if that is more.
 */
export const createBudget = (
  maxCost: number,
  price: Price,
  plan: BatchPlan,
  destination: Destination,
): Budget => {
  let spent = 0
  let answered = 0
  const inFlight = new Set<{ readonly estimate: number }>()
  return {
    isReached: () => {
      const mean = answered === 0 ? 0 : spent / answered
      const expected = [...inFlight].reduce(
        (sum, { estimate }) => sum + Math.max(mean, estimate),
        0,
      )
      return spent + expected >= maxCost
    },
    start: (item) => {
      const size = measureRequest(item, plan, destination)
      // Nothing is sent about an invalid row.
      const input = E.isRight(size) ? estimateTokens(size.right) : 0
      const request = { estimate: computeCost(price, { input, output: 0 }) }
      inFlight.add(request)
      return (tokens) => {
        inFlight.delete(request)
        if (tokens === undefined) return true
        answered += 1
        spent += computeCost(price, { input: tokens.input ?? 0, output: tokens.output ?? 0 })
        return hasCost(price, tokens)
      }
    },
  }
}
