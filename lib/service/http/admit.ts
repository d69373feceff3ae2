import { rateLimited, roomFull, unauthenticated } from '../contract/problem'
import { checkHost } from '../limits/host'
import { bearerToken, type Keys } from '../limits/keys'
import type { RateLimit } from '../limits/rate'
import type { WaitingRoom } from '../limits/waiting-room'
import { type RequestStep, refuse } from './call'

/** Who may make requests, how often, and how many at a time. */
export interface Admission {
  readonly keys: Keys
  readonly rateLimit: RateLimit
  readonly room: WaitingRoom
}

/** Refuses a request without exactly one `Host`, and if no keys are configured one whose `Host` is not this machine. */
export const requireHost =
  ({ keys }: Admission): RequestStep =>
  async (c, next) => {
    const problem = checkHost(c.env.incoming, keys.isOpen())
    return problem === undefined ? next() : refuse(c, problem)
  }

/** Refuses a request without an accepted API key. */
export const requireKey =
  ({ keys }: Admission): RequestStep =>
  async (c, next) => {
    const holder = keys.holderOf(bearerToken(c.env.incoming.headers.authorization) ?? '')
    if (holder === undefined) return refuse(c, unauthenticated)
    c.get('call').holder = holder
    return next()
  }

/** Refuses a request of a key that has made too many in the last minute. */
export const limitRate =
  ({ rateLimit }: Admission): RequestStep =>
  async (c, next) => {
    const waitMs = rateLimit(c.get('call').holder?.id ?? '')
    return waitMs > 0 ? refuse(c, rateLimited(waitMs)) : next()
  }

/** Refuses a request if as many as allowed are waiting or in work. Keeps its place until it is answered. */
export const takePlace =
  ({ room }: Admission): RequestStep =>
  async (c, next) => {
    const holder = c.get('call').holder?.id ?? ''
    if (!room.enter(holder)) return refuse(c, roomFull)
    try {
      return await next()
    } finally {
      room.leave(holder)
    }
  }
