import * as E from 'fp-ts/Either'
import type { JsonValue } from '../../../lib/codec/json/json'
import { parseText } from '../../../lib/codec/json/parse'
import { decodeResponse } from '../../../lib/codec/response'
import type { RunRecord } from '../../../lib/runs/record/decode'
import { readRun } from '../../../lib/runs/record/read'

/** Any valid digest. */
export const digest = 'ab'.repeat(32)

/** Parses a JSON value. */
export const parseValue = (text: string): JsonValue => {
  const parsed = parseText(text)
  return E.isRight(parsed) ? parsed.right : 'not JSON'
}

/** Creates a response with these answers, as the client decodes it. */
export const createResponse = (answers: string) => {
  const body = `{"model":"m-1","answers":${answers},"usage":{"input_tokens":4,"output_tokens":2}}`
  const decoded = decodeResponse(Buffer.from(body), 'req_1')
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left))
  return decoded.right
}

/** Yields a text in chunks of `size` bytes. */
export async function* splitIntoChunks(
  text: string | Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Reads the records of a run. Returns the message if it cannot be read. */
export const readText = async (
  text: string | Uint8Array,
  size = 1 << 16,
): Promise<ReadonlyArray<RunRecord> | string> => {
  const records: RunRecord[] = []
  const { signal } = new AbortController()
  const source = { name: 'run.jsonl', chunks: splitIntoChunks(text, size), signal }
  const count = await readRun(source, (record) => {
    records.push(record)
    return undefined
  })()
  if (E.isLeft(count)) return count.left._tag === 'Usage' ? count.left.message : count.left._tag
  return records
}
