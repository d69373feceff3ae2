/**
 * Counts a request by the holder of a key. Returns how many milliseconds the holder has to wait; 0 if the
 * request may go ahead.
 */
export type RateLimit = (holder: string) => number

/** Lets every request go ahead. */
export const unlimited: RateLimit = () => 0

/** The most buckets that are kept. Beyond that, the one unused for longest is dropped. D72 */
const mostBuckets = 10_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * Limits each key by a token bucket: each request takes out one token, and `perMinute` tokens flow back evenly
 * per minute, up to `perMinute`. A new bucket is full, so dropping one that has long been unused changes
 * nothing. `now` is a monotonic clock in milliseconds. D37
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
