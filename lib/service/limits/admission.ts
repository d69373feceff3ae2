import type { IncomingMessage } from 'node:http'
import { type Problem, rateLimited, unauthenticated } from '../problem'
import { bearerToken, type Keys } from './keys'
import type { RateLimit } from './rate-limit'

/** Who may ask, and how often. */
export interface Admission {
  readonly keys: Keys
  readonly rateLimit: RateLimit
}

/** Checks a request's key, then the rate of that key; `undefined` lets the request in. D37, D38 */
export const admit = (
  { keys, rateLimit }: Admission,
  headers: IncomingMessage['headers'],
): Problem | undefined => {
  const token = bearerToken(headers.authorization)
  const holder = token === undefined ? undefined : keys.holder(token)
  if (holder === undefined) return unauthenticated
  const waitMs = rateLimit(holder)
  return waitMs > 0 ? rateLimited(waitMs) : undefined
}
