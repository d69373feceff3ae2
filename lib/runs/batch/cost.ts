import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { encodeAsk } from '../../client/call/client'
import type { Destination } from '../../client/providers/destination'
import { makeAssets } from '../../codec/images'
import { encode } from '../../codec/json/draft'
import { type Failure, usage } from '../../failure/failure'
import type { RecordedUsage } from '../record/outcome'
import { type BatchItem, stateOf } from './batch-item'
import type { Plan } from './plan'

/** What a million tokens cost, in any currency. Output is free unless it has a price of its own. */
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

/** The cost of tokens. */
export const costOf = (
  { input, output }: Price,
  tokens: { input: number; output: number },
): number => tidyCost((tokens.input * input + tokens.output * output) / 1_000_000)

/** Removes the rounding errors of binary fractions. */
export const tidyCost = (cost: number): number => Number(cost.toPrecision(12))

/** Whether the tokens that have a price were counted. */
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

/** A stand-in for an image: as short as base64 can be. */
const shortest = 'AAAA'

/**
 * Measures the request about an item, without reading its images. Fails with a validation error if the row is invalid or
 * the service cannot be asked about it.
 */
export const measureRequest = (
  item: BatchItem,
  { template, permuted, model }: Plan,
  destination: Destination,
): E.Either<Failure, RequestSize> => {
  const images = item.images.map(({ name, format }) => ({ name, format, base64: shortest }))
  const extra = new Map([...template.extra, ...makeAssets(images)])
  const imageBytes = item.images.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 3) * 4, 0)
  return pipe(
    stateOf(item),
    E.map((state) => ({ ...template, questions: permuted.questions, state, extra })),
    E.chain((request) => encodeAsk(destination, request, model)),
    E.map(({ body }) => {
      const bytes = encode(body).length - images.length * shortest.length + imageBytes
      return { bytes, imageBytes }
    }),
  )
}

/** Decides when a run has spent what it may. */
export interface Budget {
  /** What has been spent so far. */
  readonly spent: () => number
  /** Whether no new row may start: what is spent and what is in flight come to the budget. */
  readonly isReached: () => boolean
  /**
   * Notes that an item is asked. Call the returned function with what the answer took, or with
   * nothing where there was none. It returns whether the cost could be told.
   */
  readonly start: (item: BatchItem) => (tokens?: RecordedUsage) => boolean
}

/** Creates a budget of which nothing is spent. */
export const createBudget = (
  most: number,
  price: Price,
  plan: Plan,
  destination: Destination,
): Budget => {
  let [spent, answered] = [0, 0]
  const inFlight = new Set<{ readonly estimate: number }>()
  return {
    spent: () => spent,
    isReached: () => {
      const mean = answered === 0 ? 0 : spent / answered
      const expected = [...inFlight].reduce(
        (sum, { estimate }) => sum + Math.max(mean, estimate),
        0,
      )
      return spent + expected >= most
    },
    start: (item) => {
      const size = measureRequest(item, plan, destination)
      // Nothing is sent about a faulty row.
      const input = E.isRight(size) ? estimateTokens(size.right) : 0
      const request = { estimate: costOf(price, { input, output: 0 }) }
      inFlight.add(request)
      return (tokens) => {
        inFlight.delete(request)
        if (tokens === undefined) return true
        answered += 1
        spent += costOf(price, { input: tokens.input ?? 0, output: tokens.output ?? 0 })
        return hasCost(price, tokens)
      }
    },
  }
}
