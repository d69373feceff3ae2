import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { writeAsk } from '../client/client'
import { exitCode } from '../failure/classify'
import { type Draft, encode } from '../json/draft'
import type { Place } from '../provider/place'
import { errorDraft, type Item, type Plan, stateOf } from './ask-row'

/** What a run would send, as a document, and the exit code. R12 */
interface Forecast {
  readonly draft: Draft
  /** 2 where rows are faulty, else 0. */
  readonly exit: number
}

/** A rough estimate of how many bytes of a request make one token. */
const bytesPerToken = 4

/** Reads and checks every row, and counts what would be sent. Rejects where the input cannot be read. R12 */
export const forecast = async (
  items: AsyncIterable<Item>,
  { template, permuted, model }: Plan,
  place: Place,
): Promise<Forecast> => {
  const counts = { rows: 0, faulty: 0, requests: 0, request_bytes: 0 }
  let first: Draft | undefined
  let last = -1
  for await (const item of items) {
    const { row } = item
    const isNew = row.index !== last
    last = row.index
    if (isNew) counts.rows += 1
    const written = pipe(
      stateOf(item),
      E.map((state) => ({ ...template, questions: permuted.questions, state })),
      E.chain((request) => writeAsk(place, request, model)),
    )
    if (E.isLeft(written)) {
      if (isNew) counts.faulty += 1
      first ??= { index: row.index, error: errorDraft(written.left) }
      continue
    }
    counts.requests += 1
    counts.request_bytes += encode(written.right.body).length
  }
  return {
    draft: {
      ...counts,
      estimated_input_tokens: Math.ceil(counts.request_bytes / bytesPerToken),
      first_fault: first,
    },
    exit: counts.faulty > 0 ? exitCode.validation : exitCode.ok,
  }
}
