import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import { type Problem, rateLimited, unauthenticated } from '../contract/problem'
import { bearerToken, type Keys } from './keys'
import type { RateLimit } from './rate-limit'

/** Which API keys are accepted, and how often each may make a request. */
export interface Admission {
  readonly keys: Keys
  readonly rateLimit: RateLimit
}

/**
 * Checks a request's API key, then the rate limit of that key. Returns a name for the key that does not reveal
 * it. Fails with 401 or 429. D37, D38
 */
export const checkKey = (
  { keys, rateLimit }: Admission,
  headers: IncomingMessage['headers'],
): E.Either<Problem, string> => {
  const token = bearerToken(headers.authorization)
  const holder = token === undefined ? undefined : keys.holderOf(token)
  if (holder === undefined) return E.left(unauthenticated)
  const waitMs = rateLimit(holder)
  return waitMs > 0 ? E.left(rateLimited(waitMs)) : E.right(holder)
}
