import { bufferOf } from '../../../codec/json/parse'
import type { Redact } from '../../../failure/text/redact'

/** Takes the service's own key out of the body of a failure, which may repeat it. A 2xx body stays as it is. */
export const takeOutKey = (redact: Redact, status: number, body: Uint8Array): Uint8Array =>
  // Latin-1 has one character per byte, so that any bytes can be turned back unchanged.
  status >= 200 && status <= 299
    ? body
    : Buffer.from(redact(bufferOf(body).toString('latin1')), 'latin1')
