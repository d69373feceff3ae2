import { randomInt } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Makes the next request id. */
export type NewRequestId = () => string

/**
 * Makes ids such as `req_01k5qz3m7v8n4xw2y9rjt6ch0d`: `req_` and a ULID in lower case. They sort by time, and
 * those of one millisecond, or of a clock that went back, by the order in which they were made. `now` is in
 * milliseconds since the epoch. D37
 */
export const requestIds = (now: () => number): NewRequestId => {
  const ulid = monotonicFactory(chance)
  return () => `req_${ulid(now()).toLowerCase()}`
}

/**
 * A random number in [0, 1) of 32 possible ones: the library makes a letter of each. Its own source asks the
 * system for every letter; `randomInt` takes from random bytes that Node keeps in stock.
 */
const chance = (): number => randomInt(32) / 32
