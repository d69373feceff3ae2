import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import { type Problem, rateLimited, unauthenticated } from '../contract/problem'
import { bearerToken, type Keys } from './keys'

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

/**
 * Counts a request by the holder of a key. Returns how many milliseconds the holder has to wait; 0 if the
 * request may go ahead.
 */
export type RateLimit = (holder: string) => number

/** Lets every request go ahead. */
export const unlimited: RateLimit = () => 0

/** The most buckets that are kept. Beyond that, the one unused for longest is dropped. D72 */
const mostBuckets = 10_000

/**
 * Limits each key by a token bucket: each request takes out one token, and `perMinute` tokens flow back evenly
 * per minute, up to `perMinute`. A new bucket is full, so dropping one that has long been unused changes
 * nothing. `now` is a monotonic clock in milliseconds. D37
 */
export const tokenBuckets = (perMinute: number, now: () => number): RateLimit => {
  // In the order of their last use: a bucket that is used moves to the end.
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()
  const msPerToken = 60_000 / perMinute
  return (holder) => {
    const at = now()
    const { tokens: left, at: since } = buckets.get(holder) ?? { tokens: perMinute, at }
    const tokens = Math.min(perMinute, left + (at - since) / msPerToken)
    const allowed = tokens >= 1
    buckets.delete(holder)
    buckets.set(holder, { tokens: allowed ? tokens - 1 : tokens, at })
    if (buckets.size > mostBuckets) {
      const [oldest = holder] = buckets.keys()
      buckets.delete(oldest)
    }
    return allowed ? 0 : (1 - tokens) * msPerToken
  }
}
