import * as E from 'fp-ts/Either'
import { usage } from '../failure/failure'
import { decodeRecord, type RunRecord } from '../runs/record/decode'
import { createUnsentError } from './results'

/** The records of a run: those of `batch`, or lines of a run parsed by `JSON.parse`. */
export type Records = Iterable<object> | AsyncIterable<object>

/** Decodes the records of a run. Throws a usage error with the number of the first invalid record. */
export async function* decodeRecords(
  records: Records,
  name: string,
): AsyncGenerator<RunRecord, void, undefined> {
  let count = 0
  for await (const record of records) {
    // A record of `batch` has its exact text in `json`.
    const text = 'json' in record ? String(record.json) : JSON.stringify(record)
    const decoded = decodeRecord(Buffer.from(text), count + 1, count)
    if (E.isLeft(decoded)) throw createUnsentError(usage(`${name}: ${decoded.left.cause}`))
    count += 1
    yield decoded.right
  }
}
