import * as E from 'fp-ts/Either'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'
import { decodeResponse } from '../../../lib/codec/response'
import { messageOf } from '../../../lib/failure/report'
import type { RunRecord } from '../../../lib/runs/record/decode'
import { readRun } from '../../../lib/runs/record/read'

/** A valid SHA-256 digest. */
export const digest = 'ab'.repeat(32)

/** Parses a JSON text that must be valid. */
export const parseValue = (text: string): JsonValue => {
  const parsed = parseText(text)
  if (E.isLeft(parsed)) throw new Error(parsed.left.message)
  return parsed.right
}

/** Creates a decoded response with the model `m-1` and the request id `req_1`. `answersJson` is the JSON text of its answers. */
export const createResponse = (answersJson: string) => {
  const body = `{"model":"m-1","answers":${answersJson},"usage":{"input_tokens":4,"output_tokens":2}}`
  const decoded = decodeResponse(Buffer.from(body), 'req_1')
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left))
  return decoded.right
}

/** Yields a text in chunks of `chunkBytes`. */
export async function* splitIntoChunks(
  text: string | Uint8Array,
  chunkBytes: number,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes)
}

/** Reads the records of a run from its text. Returns the message of the failure if svc refuses the run. */
export const readRecordsOfText = async (
  text: string | Uint8Array,
  chunkBytes = 1 << 16,
): Promise<ReadonlyArray<RunRecord> | string> => {
  const records: RunRecord[] = []
  const { signal } = new AbortController()
  const source = { name: 'run.jsonl', chunks: splitIntoChunks(text, chunkBytes), signal }
  const count = await readRun(source, (record) => {
    records.push(record)
    // `undefined` is no fault, so reading continues.
    return undefined
  })()
  if (E.isLeft(count)) return messageOf(count.left)
  return records
}
