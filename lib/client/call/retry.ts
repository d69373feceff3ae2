import type { Failure } from '../../failure/failure'

/**
 * The maximum wait that a service may ask for. Longer waits are shortened to it. A single call never waits that long, because its
 * retries start within `maxRetryPeriodMs`. A batch does: if a
 * busy service asks for a wait, further attempts of the batch start after it.
 */
const maxRequestedWaitMs = 5 * 60_000

/** The time from the start of a call in which retries may start. */
const maxRetryPeriodMs = 30_000

const firstBackoffMs = 500
const maxBackoffMs = 5_000
/** The maximum share by which a backoff is shortened at random. */
const maxJitter = 0.25

/** Returns `true` if the same request may succeed later: the connection failed, or the status is 408, 429 or 5xx. */
export const isRetryable = (failure: Failure): boolean =>
  failure._tag === 'Connection' || (failure._tag === 'ApiError' && isTransient(failure.status))

const isTransient = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status <= 599)

/**
 * Returns the milliseconds to wait before a retry: `firstBackoffMs` before the first (`retries` is 0), doubled for each further one
 * up to `maxBackoffMs`. `random`, in [0, 1), shortens the wait by up to `maxJitter`.
 */
export const computeBackoff = (retries: number, random: number): number =>
  Math.min(firstBackoffMs * 2 ** retries, maxBackoffMs) * (1 - maxJitter * random)

/**
 * Reads the wait in milliseconds that a response asks for: in `retry-after-ms`, in `retry-after`, or in its body (`bodyWaitMs`).
 * Limits the wait to `maxRequestedWaitMs`. `nowMs` is in milliseconds since 1970. `undefined` if the response asks for
 * no wait.
 */
export const readRequestedWait = (
  header: (name: string) => string | null,
  nowMs: number,
  bodyWaitMs?: number,
): number | undefined => {
  const waitMs =
    parseDecimal(header('retry-after-ms')) ??
    parseSeconds(header('retry-after')) ??
    parseHttpDate(header('retry-after'), nowMs) ??
    bodyWaitMs
  return waitMs === undefined ? undefined : Math.min(waitMs, maxRequestedWaitMs)
}

/** Parses a number such as `2`, `1.5` or `.25`, without a sign. */
const parseDecimal = (text: string | null): number | undefined =>
  text !== null && /^\s*(?:\d+(?:\.\d*)?|\.\d+)\s*$/.test(text) ? Number(text) : undefined

const parseSeconds = (text: string | null): number | undefined => {
  const seconds = parseDecimal(text)
  return seconds === undefined ? undefined : seconds * 1000
}

/**
 * Returns the milliseconds from `nowMs` to an HTTP date, which is always in GMT and has one of three formats:
 * `Thu, 01 Jan 2026 12:00:07 GMT`, `Thursday, 01-Jan-26 12:00:08 GMT` or `Thu Jan  1 12:00:09 2026`. 0 for a date in the past,
 * `undefined` for any other text.
 */
const parseHttpDate = (text: string | null, nowMs: number): number | undefined => {
  if (text === null || !/^\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return undefined
  const dateMs = Date.parse(/gmt\s*$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}

/** A failed attempt, and the state of its call. */
interface RetryAttempt {
  readonly failure: Failure
  /** Overrides the decision by `failure`, for instance with `false` if a daily quota is used up. */
  readonly mayRetry?: boolean | undefined
  /** The retries so far; 0 after the first attempt. */
  readonly retries: number
  readonly maxRetries: number
  /** The time since the call started. */
  readonly elapsedMs: number
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | undefined
  /** Returns a number in [0, 1). */
  readonly random: () => number
}

/** Returns the milliseconds to wait before the next attempt; `undefined` if the call must not be retried. */
export const decideRetryWait = (attempt: RetryAttempt): number | undefined => {
  const { failure, mayRetry = isRetryable(failure), retries, maxRetries } = attempt
  if (retries >= maxRetries || !mayRetry) return undefined
  const waitMs = attempt.retryAfterMs ?? computeBackoff(retries, attempt.random())
  return attempt.elapsedMs + waitMs > maxRetryPeriodMs ? undefined : waitMs
}
