import { isIP } from 'node:net'
import { isLoopback } from '../../runtime/http/loopback'
import { parseTarget } from '../contract/operation-path'
import {
  foreignHost,
  invalidHost,
  type Problem,
  rateLimited,
  serviceFull,
  unauthenticated,
} from '../contract/problem'
import { parseBearerToken } from '../keys/keys'
import { refuse } from './respond'
import type { IncomingRequest, RequestContext, RequestStep, Service } from './service'

/**
 * Refuses an HTTP/1.1 request that does not have exactly one `Host` header (RFC 9112, 3.2). If no keys are configured, it also refuses
 * a host that is not this machine. Otherwise a web page could reach the service by pointing its own domain name at 127.0.0.1 (DNS
 * rebinding).
 */
export const requireHost =
  ({ keys }: Service): RequestStep =>
  async (c, next) => {
    const problem = findHostProblem(c.env.incoming, keys.isOpen())
    return problem === undefined ? next() : refuse(c, problem)
  }

const findHostProblem = (
  { httpVersion, url, headers, rawHeaders }: IncomingRequest,
  requiresLoopback: boolean,
): Problem | undefined => {
  if (httpVersion === '1.1' && countHostHeaders(rawHeaders) !== 1) return invalidHost
  if (!requiresLoopback) return undefined
  // A request target may be a whole URL, whose host overrides the Host header.
  for (const host of [headers.host, parseTarget(url).host])
    if (host !== undefined && !isThisMachine(host)) return foreignHost
  return undefined
}

/** Counts the `Host` headers. Node's `headers` has only the first. `rawHeaders` has all, as `[name, value, name, value, …]`. */
const countHostHeaders = (rawHeaders: ReadonlyArray<string>): number =>
  rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length

/** Returns true for a valid loopback name or address, with or without a port: `localhost:80`, `127.0.0.1`, `[::1]:80`. */
const isThisMachine = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '')
  const address = name.replace(/^\[(.*)\]$/, '$1')
  const isValid = isIP(address) !== 0 || /^[a-z0-9.-]+$/i.test(name)
  return isValid && isLoopback(name)
}

/** Refuses a request without an accepted API key. */
export const requireKey =
  ({ keys }: Service): RequestStep =>
  async (c, next) => {
    const holder = keys.findHolder(parseBearerToken(c.env.incoming.headers.authorization) ?? '')
    if (holder === undefined) return refuse(c, unauthenticated)
    c.get('request').holder = holder
    return next()
  }

/** Returns the id of the holder that `requireKey` has found. That step runs before, so the default `''` is never used. */
const holderIdOf = (c: RequestContext): string => c.get('request').holder?.id ?? ''

/** Refuses a request if its key has made too many requests. `maxRequestsPerMinute` is the limit; 0 means no limit. */
export const limitRate = ({ maxRequestsPerMinute, clock }: Service): RequestStep => {
  if (maxRequestsPerMinute === 0) return (_, next) => next()
  const takePermit = createRateLimiter(maxRequestsPerMinute, clock.monotonic)
  return async (c, next) => {
    const waitMs = takePermit(holderIdOf(c))
    return waitMs > 0 ? refuse(c, rateLimited(waitMs)) : next()
  }
}

/** The maximum number of buckets in memory. If there are more, the least recently used one is dropped. */
const maxBuckets = 10_000

/**
 * Creates a rate limiter: a token bucket for each holder of an API key. A bucket begins with `perMinute` permits, its maximum, and is
 * refilled evenly with `perMinute` permits per minute. Each request takes a permit. The returned function takes a permit out of a
 * holder's bucket and returns 0. If the bucket has no whole permit, the function returns the time in milliseconds until it has one.
 * `now` is a monotonic clock in milliseconds.
 */
export const createRateLimiter = (
  perMinute: number,
  now: () => number,
): ((holderId: string) => number) => {
  // A bucket that is used moves to the end of the map, so the first one is the least recently used.
  const buckets = new Map<string, { readonly permits: number; readonly updatedAt: number }>()
  const msPerPermit = 60_000 / perMinute
  return (holderId) => {
    const time = now()
    const bucket = buckets.get(holderId) ?? { permits: perMinute, updatedAt: time }
    const refilled = bucket.permits + (time - bucket.updatedAt) / msPerPermit
    const permits = Math.min(perMinute, refilled)
    const isAllowed = permits >= 1
    buckets.delete(holderId)
    buckets.set(holderId, { permits: isAllowed ? permits - 1 : permits, updatedAt: time })
    if (buckets.size > maxBuckets) {
      const [leastRecentlyUsed = holderId] = buckets.keys()
      buckets.delete(leastRecentlyUsed)
    }
    return isAllowed ? 0 : (1 - permits) * msPerPermit
  }
}

/**
 * Refuses a request if `maxWaiting` requests are waiting or in progress. If keys are configured, also refuses it if half as many
 * requests have the same key. This limits the memory for bodies. Counts a request until its response is known.
 */
export const limitWaiting = ({ keys, maxWaiting }: Service): RequestStep => {
  // If no keys are configured, one caller may use the whole limit.
  const maxPerHolder = keys.isOpen() ? maxWaiting : Math.ceil(maxWaiting / 2)
  const countByHolder = new Map<string, number>()
  let total = 0
  const addToCount = (holderId: string, change: 1 | -1): void => {
    const count = (countByHolder.get(holderId) ?? 0) + change
    if (count === 0) countByHolder.delete(holderId)
    else countByHolder.set(holderId, count)
    total += change
  }
  return async (c, next) => {
    const holderId = holderIdOf(c)
    const holderCount = countByHolder.get(holderId) ?? 0
    if (total >= maxWaiting || holderCount >= maxPerHolder) return refuse(c, serviceFull)
    addToCount(holderId, 1)
    try {
      return await next()
    } finally {
      addToCount(holderId, -1)
    }
  }
}
