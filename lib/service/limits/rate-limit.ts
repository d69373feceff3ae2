/** Says how long a key has to wait: 0 when its request may go ahead. */
export type RateLimit = (holder: string) => number

/** No limit. */
export const unlimited: RateLimit = () => 0

/** Buckets kept at most; the least recently used one gives way. */
const mostBuckets = 100_000

interface Bucket {
  tokens: number
  at: number
}

/**
 * A token bucket per key: it holds a minute's requests and refills evenly. `now` is a monotonic
 * clock in milliseconds. A full bucket is the same as none, so old ones may be dropped. D37
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
