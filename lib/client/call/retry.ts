import type { Failure } from '../../failure/failure'

/** The longest wait that a service may ask for, in milliseconds. */
const maxRequestedWait = 5 * 60_000

/** No retry starts later than this after the beginning of the call, in milliseconds. */
const retryBudget = 30_000

const firstBackoff = 500
const maxBackoff = 5_000
const maxShortening = 0.25

/** Whether an attempt that failed like this may be repeated. */
export const isRetryable = (failure: Failure): boolean =>
  failure._tag === 'Connection' || (failure._tag === 'ApiError' && isTransient(failure.status))

const isTransient = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 500 && status <= 599)

/**
 * The wait in milliseconds before retry number `retry`; the first is 0. `random`, in [0, 1), shortens it by up
 * to a quarter.
 */
export const backoffOf = (retry: number, random: number): number =>
  Math.min(firstBackoff * 2 ** retry, maxBackoff) * (1 - maxShortening * random)

/**
 * The wait in milliseconds that the headers of a response ask for, else the one that its body asks for;
 * `undefined` where neither does.
 */
export const readRequestedWait = (
  header: (name: string) => string | null,
  now: number,
  inBody?: number,
): number | undefined => {
  const wait =
    parseDecimal(header('retry-after-ms')) ??
    parseSeconds(header('retry-after')) ??
    countMillisUntil(header('retry-after'), now) ??
    inBody
  return wait === undefined ? undefined : Math.min(wait, maxRequestedWait)
}

const parseDecimal = (text: string | null): number | undefined =>
  text !== null && /^\s*(?:\d+(?:\.\d*)?|\.\d+)\s*$/.test(text) ? Number(text) : undefined

const parseSeconds = (text: string | null): number | undefined => {
  const value = parseDecimal(text)
  return value === undefined ? undefined : value * 1000
}

/**
 * The milliseconds until an HTTP date in any of its three formats, all of which are in GMT; 0 for a date in the
 * past, `undefined` for a text that is no date.
 */
const countMillisUntil = (text: string | null, now: number): number | undefined => {
  if (text === null || !/^\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return undefined
  const date = Date.parse(/gmt\s*$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** What decides whether another attempt follows a failed one. Times are in milliseconds. */
interface FailedAttempt {
  readonly failure: Failure
  /** Whether the service says that the attempt may be repeated. */
  readonly mayRetry?: boolean | undefined
  /** The retries made so far; 0 after the first attempt. */
  readonly retries: number
  readonly maxRetries: number
  /** The time since the call began. */
  readonly elapsed: number
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | undefined
  readonly random: () => number
}

/** Decides the wait in milliseconds before the next attempt; `undefined` where none follows. */
export const decideWait = (attempt: FailedAttempt): number | undefined => {
  const mayRetry = attempt.mayRetry ?? isRetryable(attempt.failure)
  if (attempt.retries >= attempt.maxRetries || !mayRetry) return undefined
  const wait = attempt.retryAfterMs ?? backoffOf(attempt.retries, attempt.random())
  return attempt.elapsed + wait > retryBudget ? undefined : wait
}
