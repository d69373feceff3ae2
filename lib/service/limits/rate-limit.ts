/**
 * Counts a request of a key's holder. Gives the milliseconds it has to wait; 0 when it may go ahead at once.
 */
export type RateLimit = (holder: string) => number

/** Lets every request go ahead. */
export const unlimited: RateLimit = () => 0

/** The most buckets that are kept. A new one takes the place of the one that was used longest ago. D72 */
const mostBuckets = 10_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * A token bucket for each key: a request takes a token out, and `perMinute` tokens flow in evenly each minute,
 * up to as many. A new bucket is full, so that dropping one that nobody has used for long changes nothing.
 * `now` is a monotonic clock in milliseconds. D37
 */
export const tokenBuckets = (perMinute: number, now: () => number): RateLimit => {
  const buckets = new Map<string, Bucket>()
  const msPerToken = 60_000 / perMinute
  return (holder) => {
    const at = now()
    const known = buckets.get(holder)
    const tokens =
      known === undefined
        ? perMinute
        : Math.min(perMinute, known.tokens + (at - known.at) / msPerToken)
    const bucket = known ?? { tokens, at }
    const allowed = tokens >= 1
    bucket.tokens = allowed ? tokens - 1 : tokens
    bucket.at = at
    buckets.delete(holder)
    buckets.set(holder, bucket)
    if (buckets.size > mostBuckets) evict(buckets)
    return allowed ? 0 : (1 - tokens) * msPerToken
  }
}

const evict = (buckets: Map<string, Bucket>): void => {
  const oldest = buckets.keys().next()
  if (oldest.done !== true) buckets.delete(oldest.value)
}
