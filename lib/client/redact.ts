import { createRedact, type Redact } from '../text/redact'
import type { Secret } from '../text/secret'

/** Creates the function that redacts the client's API key in texts from the service. D3, D52 */
export const redactOf = ({ apiKey }: { readonly apiKey: Secret }): Redact =>
  createRedact([apiKey.reveal()])
