import * as E from 'fp-ts/Either'
import { usage } from '../failure/failure'
import { decodeRecord, type RunRecord } from '../runs/record/decode'
import { createErrorBeforeSending } from './results'

/** The records of a run: those of `batch`, or lines of a run parsed by `JSON.parse`. */
export type Records = Iterable<object> | AsyncIterable<object>

/**
 * Decodes the records of a run. Throws a usage error for the first invalid record, with a message such as `reuse: line 3: …` for the
 * third record if `optionName` is `reuse`.
 */
export async function* decodeRecords(
  records: Records,
  optionName: string,
): AsyncGenerator<RunRecord, void, undefined> {
  // The position becomes the index of a record without one.
  let position = 0
  for await (const record of records) {
    // A record of `batch` has its exact text in `json`.
    const text = 'json' in record ? String(record.json) : JSON.stringify(record)
    const line = position + 1
    const decoded = decodeRecord(Buffer.from(text), line, position)
    if (E.isLeft(decoded))
      throw createErrorBeforeSending(usage(`${optionName}: ${decoded.left.cause}`))
    position += 1
    yield decoded.right
  }
}
