import * as E from 'fp-ts/Either'
import { usage } from '../failure/failure'
import { decodeRecord, type RunRecord } from '../runs/record/decode'
import { createUnsentError } from './results'

/** The records of a run: those of `batch`, or lines of a run parsed by `JSON.parse`. */
export type Records = Iterable<object> | AsyncIterable<object>

/**
 * Decodes the records of a run. Throws a usage error for the first invalid record. Its message begins with `optionName` and the
 * number of the record, from 1, as a line number.
 */
export async function* decodeRecords(
  records: Records,
  optionName: string,
): AsyncGenerator<RunRecord, void, undefined> {
  let index = 0
  for await (const record of records) {
    // A record of `batch` has its exact text in `json`.
    const text = 'json' in record ? String(record.json) : JSON.stringify(record)
    const decoded = decodeRecord(Buffer.from(text), index + 1, index)
    if (E.isLeft(decoded)) throw createUnsentError(usage(`${optionName}: ${decoded.left.cause}`))
    index += 1
    yield decoded.right
  }
}
