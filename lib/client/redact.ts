import { createRedact, type Redact } from '../text/redact'
import type { Secret } from '../text/secret'

/**
 * The functions made so far, by key. Making one takes longer than using it, and a batch uses it for every
 * response.
 */
const made = new WeakMap<Secret, Redact>()

/** Returns the function that redacts the client's API key in texts from the service. D3, D52 */
export const redactOf = ({ apiKey }: { readonly apiKey: Secret }): Redact => {
  const redact = made.get(apiKey) ?? createRedact([apiKey.reveal()])
  made.set(apiKey, redact)
  return redact
}
