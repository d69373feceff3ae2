import * as E from 'fp-ts/Either'
import type { Destination } from '../../client/providers/destination'
import type { Draft } from '../../codec/json/draft'
import type { Failure } from '../../failure/failure'
import { errorOf, exitCodes } from '../../failure/report'
import type { BatchItem } from './batch-item'
import type { BatchStep } from './batch-setup'
import {
  computeCost,
  estimateTokens,
  measureRequest,
  type RequestSize,
  type TokenPrice,
} from './cost'
import { measurePack } from './pack/ask-pack'
import { groupSteps } from './pack/group-steps'
import type { Packing } from './pack/packing'
import type { BatchPlan } from './plan'
import type { Reuse } from './reuse'

/** The options of `forecastBatch`. */
interface ForecastOptions {
  readonly plan: BatchPlan
  readonly destination: Destination
  /** Without a price, the forecast has no cost. */
  readonly price: TokenPrice | undefined
  readonly reuse: Reuse | undefined
  /** `undefined` if each row is asked alone. */
  readonly packing: Packing | undefined
}

/** The document of `--dry-run`, and the exit code: 2 if a row is invalid. */
interface BatchForecast {
  readonly draft: Draft
  readonly exitCode: number
}

/** The number and the size of requests. */
class RequestTotals {
  requests = 0
  bytes = 0
  imageBytes = 0

  add({ bytes, imageBytes }: RequestSize): void {
    this.requests += 1
    this.bytes += bytes
    this.imageBytes += imageBytes
  }

  addIfSendable(size: E.Either<Failure, RequestSize>): void {
    if (E.isRight(size)) this.add(size.right)
  }

  /** Estimates the input tokens and, with a price, their cost. */
  estimate(price: TokenPrice | undefined) {
    const inputTokens = estimateTokens(this)
    return {
      estimated_input_tokens: inputTokens,
      cost: price && computeCost(price, { input: inputTokens, output: 0 }),
    }
  }
}

/**
 * Checks every row without sending a request, and counts requests, bytes and tokens. With packing it also counts the requests of single
 * rows. Fails as `groupSteps` does. Rejects if the input cannot be read.
 */
export const forecastBatch = async (
  items: AsyncIterable<BatchItem>,
  options: ForecastOptions,
): Promise<E.Either<Failure, BatchForecast>> => {
  const { plan, destination, price, packing } = options
  const checker = new ItemChecker(options)
  const sent = new RequestTotals()
  const alone = new RequestTotals()
  let imageCount = 0
  for await (const { steps, packed, isChecked } of groupSteps(checker.check(items), options)) {
    // A failure is the only step of its group.
    const failed = steps.find(E.isLeft)
    if (failed !== undefined) return failed
    for (const { images, size } of checker.takeSizes(steps)) {
      alone.add(size)
      imageCount += images
      if (isChecked || packed.length === 0) sent.add(size)
    }
    if (packed.length > 0) sent.addIfSendable(measurePack(packed, plan, destination))
  }
  const draft = {
    rows: checker.rows,
    faulty: checker.faulty,
    requests: sent.requests,
    request_bytes: sent.bytes,
    images: imageCount === 0 ? undefined : imageCount,
    ...sent.estimate(price),
    alone: packing && { requests: alone.requests, ...alone.estimate(price) },
    first_fault: checker.firstFault,
  }
  return E.right({ draft, exitCode: checker.faulty > 0 ? exitCodes.validation : exitCodes.ok })
}

/** Checks the items of a run, and measures the request of each. */
class ItemChecker {
  rows = 0
  /** The number of invalid rows. */
  faulty = 0
  firstFault: Draft | undefined
  /** The sizes of the requests of items that were checked, but not taken yet. */
  private readonly sizes = new Map<BatchItem, RequestSize>()

  constructor(private readonly options: ForecastOptions) {}

  /** Checks items, and yields each as a step. */
  async *check(items: AsyncIterable<BatchItem>): AsyncGenerator<BatchStep, void, undefined> {
    const { plan, destination, reuse } = this.options
    let lastIndex: number | undefined
    for await (const item of items) {
      const { row } = item
      // With --repeat, the items of a row follow one another. The row and its fault count once.
      const isFirstRepetition = row.index !== lastIndex
      lastIndex = row.index
      if (isFirstRepetition) this.rows += 1
      const size = measureRequest(item, plan, destination)
      if (E.isLeft(size)) {
        if (isFirstRepetition) this.faulty += 1
        this.firstFault ??= { index: row.index, error: { ...errorOf(size.left) } }
      } else if (!reuse?.has(item)) this.sizes.set(item, size.right)
      yield E.right({ item })
    }
  }

  /** Returns the sizes and the numbers of images of the requests that steps need. */
  takeSizes(steps: ReadonlyArray<BatchStep>) {
    return steps.flatMap((step) => {
      if (E.isLeft(step)) return []
      const { item } = step.right
      const size = this.sizes.get(item)
      this.sizes.delete(item)
      return size === undefined ? [] : [{ size, images: item.images.length }]
    })
  }
}
