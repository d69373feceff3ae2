import type { Failure } from '../failure/failure'
import type { Secret } from '../runtime/secret'
import * as text from '../text/redact'

/** Puts `[redacted]` where a text that came from outside holds the key. D3 */
export type Redact = (text: string) => string

/** A redactor for one key. D52 */
export const createRedact = (secret: Secret): Redact => text.createRedact([secret.reveal()])

/** The failure with the key gone from every text that a server or the network could have put there. */
export const redactFailure = (failure: Failure, redact: Redact): Failure => {
  switch (failure._tag) {
    case 'ApiError':
      return {
        ...failure,
        message: redact(failure.message),
        requestId: redact(failure.requestId),
      }
    case 'Connection':
      return {
        ...failure,
        cause: redact(failure.cause),
        host: redact(failure.host),
        ...(failure.proxy === undefined ? {} : { proxy: redact(failure.proxy) }),
      }
    case 'InvalidResponse':
      return { ...failure, path: redact(failure.path), cause: redact(failure.cause) }
    case 'Internal':
      return { ...failure, message: redact(failure.message) }
    case 'Interrupted':
    case 'Usage':
    case 'Framework':
    case 'Validation':
      return failure
  }
}
