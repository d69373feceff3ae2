import { randomInt } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Returns a new request id. */
type NewRequestId = () => string

/**
 * Makes ids such as `req_01k5qz3m7v8n4xw2y9rjt6ch0d`: `req_` and a ULID in lower case. They sort by time, and
 * by order of creation within one millisecond or after the clock was set back. `now` is in milliseconds since
 * the epoch. D37
 */
export const requestIds = (now: () => number): NewRequestId => {
  const ulid = monotonicFactory(chance)
  return () => `req_${ulid(now()).toLowerCase()}`
}

/**
 * A random number for `ulid`: one of 32 evenly spaced values in [0, 1), each of which becomes one character.
 * The library's own source asks the system for every character; `randomInt` draws on random bytes that Node
 * keeps ready.
 */
const chance = (): number => randomInt(32) / 32
