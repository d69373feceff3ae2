import type { Secret } from '../runtime/secret'
import { createRedact, type Redact } from '../text/redact'

/** Of each key once: making one takes longer than using it on an answer, and a batch has many answers. */
const made = new WeakMap<Secret, Redact>()

/** Takes a client's key out of what its service says. D3, D52 */
export const redactOf = ({ apiKey }: { readonly apiKey: Secret }): Redact => {
  const redact = made.get(apiKey) ?? createRedact([apiKey.reveal()])
  made.set(apiKey, redact)
  return redact
}
