/**
 * Counts a request of the holder of a key. Returns how many milliseconds the holder has to wait; 0 if the request may go
 * ahead.
 */
export type RateLimit = (holder: string) => number

/** Lets every request go ahead. */
export const unlimited: RateLimit = () => 0

/** Beyond this number of buckets, the one unused for the longest time is dropped. */
const maxBuckets = 10_000

/**
 * Limits each key by a token bucket: each request takes out one token, and `perMinute` tokens flow back evenly per
 * minute, up to `perMinute`. A new bucket is full, so dropping a long unused one changes nothing. `now` is a
 * monotonic clock in milliseconds.
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
    if (buckets.size > maxBuckets) {
      const [oldest = holder] = buckets.keys()
      buckets.delete(oldest)
    }
    return allowed ? 0 : (1 - tokens) * msPerToken
  }
}
