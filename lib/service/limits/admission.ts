import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import { type Problem, rateLimited, unauthenticated } from '../problem'
import { bearerToken, type Keys } from './keys'
import type { RateLimit } from './rate-limit'

/** Who may ask, and how often. */
export interface Admission {
  readonly keys: Keys
  readonly rateLimit: RateLimit
}

/** Checks a request's key, then the rate of that key. Lets the request in with a name for the key's holder. D37, D38 */
export const admit = (
  { keys, rateLimit }: Admission,
  headers: IncomingMessage['headers'],
): E.Either<Problem, string> => {
  const token = bearerToken(headers.authorization)
  const holder = token === undefined ? undefined : keys.holder(token)
  if (holder === undefined) return E.left(unauthenticated)
  const waitMs = rateLimit(holder)
  return waitMs > 0 ? E.left(rateLimited(waitMs)) : E.right(holder)
}
