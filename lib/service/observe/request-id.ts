import { monotonicFactory } from 'ulid'

/**
 * Makes ids such as `req_01k5qz3m7v8n4xw2y9rjt6ch0d`: `req_` and a ULID in lower case. They sort by time, and
 * by order of creation within one millisecond or after the clock was set back. `now` is in milliseconds since
 * the epoch. D37
 */
export const requestIds = (now: () => number): (() => string) => {
  const ulid = monotonicFactory()
  return () => `req_${ulid(now()).toLowerCase()}`
}
