import * as E from 'fp-ts/Either'
import type { Destination } from '../../client/providers/destination'
import type { Draft } from '../../codec/json/draft'
import { exitCode } from '../../failure/classify'
import type { BatchItem } from './batch-item'
import { costOf, estimateTokens, measureRequest, type Price } from './cost'
import { errorDraft } from './encode-record'
import type { Plan } from './plan'
import type { Reuse } from './reuse'

/**
 * Reads and checks every row, and counts what would be sent: a document, and the exit code, 2 where rows are faulty.
 * Rejects where the input cannot be read.
 */
export const forecast = async (
  items: AsyncIterable<BatchItem>,
  plan: Plan,
  destination: Destination,
  price: Price | undefined,
  reuse: Reuse | undefined,
) => {
  const counts = { rows: 0, faulty: 0, requests: 0, request_bytes: 0 }
  let [images, imageBytes] = [0, 0]
  let first: Draft | undefined
  let last = -1
  for await (const item of items) {
    const { row } = item
    const isNew = row.index !== last
    last = row.index
    if (isNew) counts.rows += 1
    const size = measureRequest(item, plan, destination)
    if (E.isLeft(size)) {
      if (isNew) counts.faulty += 1
      first ??= { index: row.index, error: errorDraft(size.left) }
      continue
    }
    if (reuse?.has(item)) continue
    counts.requests += 1
    counts.request_bytes += size.right.bytes
    images += item.images.length
    imageBytes += size.right.imageBytes
  }
  const tokens = estimateTokens({ bytes: counts.request_bytes, imageBytes })
  return {
    draft: {
      ...counts,
      images: images === 0 ? undefined : images,
      estimated_input_tokens: tokens,
      cost: price && costOf(price, { input: tokens, output: 0 }),
      first_fault: first,
    },
    exit: counts.faulty > 0 ? exitCode.validation : exitCode.ok,
  }
}
