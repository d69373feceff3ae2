import * as E from 'fp-ts/Either'
import type { Destination } from '../../client/providers/destination'
import type { Draft } from '../../codec/json/draft'
import { errorOf, exitCodes } from '../../failure/report'
import type { BatchItem } from './batch-item'
import { computeCost, estimateTokens, measureRequest, type TokenPrice } from './cost'
import type { BatchPlan } from './plan'
import type { Reuse } from './reuse'

/** The options of `forecastBatch`. */
interface ForecastOptions {
  readonly plan: BatchPlan
  readonly destination: Destination
  /** Without a price, the forecast has no cost. */
  readonly price: TokenPrice | undefined
  readonly reuse: Reuse | undefined
}

/**
 * Checks every row without sending a request, and counts requests, bytes and tokens. Resolves with the document of
 * `--dry-run`, and the exit code: 2 if a row is invalid. Rejects if the input cannot be read.
 */
export const forecastBatch = async (
  items: AsyncIterable<BatchItem>,
  { plan, destination, price, reuse }: ForecastOptions,
): Promise<{ readonly draft: Draft; readonly exitCode: number }> => {
  // These names are those of the members of the document.
  const counts = { rows: 0, faulty: 0, requests: 0, request_bytes: 0 }
  let imageCount = 0
  let imageBytes = 0
  let firstFault: Draft | undefined
  let lastIndex: number | undefined
  for await (const item of items) {
    const { row } = item
    // With --repeat, the items of a row follow one another. The row and its fault count once.
    const isFirstRepetition = row.index !== lastIndex
    lastIndex = row.index
    if (isFirstRepetition) counts.rows += 1
    const size = measureRequest(item, plan, destination)
    if (E.isLeft(size)) {
      if (isFirstRepetition) counts.faulty += 1
      firstFault ??= { index: row.index, error: { ...errorOf(size.left) } }
      continue
    }
    if (reuse?.has(item)) continue
    counts.requests += 1
    counts.request_bytes += size.right.bytes
    imageCount += item.images.length
    imageBytes += size.right.imageBytes
  }
  const inputTokens = estimateTokens({ bytes: counts.request_bytes, imageBytes })
  return {
    draft: {
      ...counts,
      images: imageCount === 0 ? undefined : imageCount,
      estimated_input_tokens: inputTokens,
      cost: price && computeCost(price, { input: inputTokens, output: 0 }),
      first_fault: firstFault,
    },
    exitCode: counts.faulty > 0 ? exitCodes.validation : exitCodes.ok,
  }
}
