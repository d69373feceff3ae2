import type { Secret } from '../runtime/secret'
import { createRedact, type Redact } from '../text/redact'

/** Kept by key: making such a function takes longer than one use of it, and a batch uses it for every answer. */
const made = new WeakMap<Secret, Redact>()

/** Takes a client's key out of what its service says. D3, D52 */
export const redactOf = ({ apiKey }: { readonly apiKey: Secret }): Redact => {
  const redact = made.get(apiKey) ?? createRedact([apiKey.reveal()])
  made.set(apiKey, redact)
  return redact
}
