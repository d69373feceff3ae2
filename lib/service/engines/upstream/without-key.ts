import { setImmediate as endOfTurn } from 'node:timers/promises'
import { bufferOf } from '../../../codec/json/parse'
import type { Redact } from '../../../failure/text/redact'

/** How many bytes are searched for the key in one turn of the event loop, and the most of which it is redacted. */
const pieceSize = 64 << 10

/**
 * Takes the service's own key out of the body of a response. A 2xx response stays as it is if the request held
 * the same text: a label may happen to equal a simple key, and the caller learns nothing new. `undefined` for a body of
 * more than 64 KiB that holds the key, since redacting it would hold up other requests. D3
 */
export const takeOutKey = async (
  redact: Redact,
  status: number,
  body: Uint8Array,
  request: Uint8Array,
): Promise<Uint8Array | undefined> => {
  if (!(await holdsKey(redact, body))) return body
  const isRepeated = status >= 200 && status <= 299 && (await holdsKey(redact, request))
  if (isRepeated) return body
  return body.length > pieceSize ? undefined : Buffer.from(redact(latin1(body)), 'latin1')
}

/** Whether bytes hold the key. The pieces that are searched overlap by as much as the key can take up. */
const holdsKey = async (redact: Redact, bytes: Uint8Array): Promise<boolean> => {
  const step = pieceSize + redact.reach
  for (let from = 0; from < bytes.length; from += step) {
    const piece = latin1(bytes.subarray(from, from + step + redact.reach))
    if (redact(piece) !== piece) return true
    await endOfTurn()
  }
  return false
}

/** Reads bytes as Latin-1: one character per byte, so that any bytes can be turned back unchanged. */
const latin1 = (bytes: Uint8Array): string => bufferOf(bytes).toString('latin1')
