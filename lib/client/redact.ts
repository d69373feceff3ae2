import type { Secret } from '../runtime/secret'
import { createRedact, type Redact } from '../text/redact'

/** Takes a client's key out of what its service says. D3, D52 */
export const redactOf = ({ apiKey }: { readonly apiKey: Secret }): Redact =>
  createRedact([apiKey.reveal()])
