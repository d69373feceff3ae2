import { bufferOf } from '../../../codec/json/parse'
import type { Redact } from '../../../failure/text/redact'

/**
 * Removes the service's own key from the body of a failure, which may repeat it. Answers are not changed: a label
 * could equal a simple key by chance.
 */
export const takeOutKey = (redact: Redact, status: number, body: Uint8Array): Uint8Array => {
  if (status <= 299) return body
  // Latin-1 has one character for each byte, so any bytes can be turned back unchanged.
  return Buffer.from(redact(bufferOf(body).toString('latin1')), 'latin1')
}
