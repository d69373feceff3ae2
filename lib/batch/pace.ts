import type { EndedAttempt, Pace } from '../client/env'
import type { Clock } from '../runtime/runtime'

/** How fast a run may ask. */
export interface Speed {
  /** Attempts at the same time, at most. */
  readonly concurrency: number
  /** Attempts a minute, spaced evenly; as many as come without it. */
  readonly rpm: number | undefined
}

/** Statuses of a service that is too busy, or away for a while. */
const busy: ReadonlySet<number | undefined> = new Set([429, 503, 529])

/** Answers in a row after which one more may be in flight. */
const earning = 20

/**
 * The pace of a run. A wait that the service asks for holds back every new attempt until it is over and
 * halves the number in flight; answers in a row win it back one by one. Times are monotonic, in
 * milliseconds. R6
 */
export const pace = (
  { monotonic, sleep }: Clock,
  { concurrency, rpm }: Speed,
): Pace & { readonly attempts: () => number } => {
  let attempts = 0
  let inFlight = 0
  let limit = concurrency
  let inARow = 0
  let heldUntil = Number.NEGATIVE_INFINITY
  let nextSlot = Number.NEGATIVE_INFINITY
  let waiting: Array<() => void> = []

  const change = (): void => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  const news = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const wake = (): void => {
        signal.removeEventListener('abort', wake)
        resolve()
      }
      signal.addEventListener('abort', wake)
      waiting.push(wake)
    })

  const turn = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const now = monotonic()
      const wait = Math.max(heldUntil, nextSlot) - now
      if (wait > 0) await sleep(wait, signal)
      else if (inFlight >= limit) await news(signal)
      else {
        attempts += 1
        inFlight += 1
        if (rpm !== undefined) nextSlot = now + 60_000 / rpm
        return
      }
    }
  }
  const ended = ({ answered, status, retryAfterMs = 0 }: EndedAttempt): void => {
    inFlight -= 1
    const now = monotonic()
    if (busy.has(status) && retryAfterMs > 0) {
      if (now >= heldUntil) limit = Math.max(1, Math.floor(limit / 2))
      heldUntil = Math.max(heldUntil, now + retryAfterMs)
    }
    inARow = answered ? inARow + 1 : 0
    if (inARow === earning) {
      inARow = 0
      limit = Math.min(limit + 1, concurrency)
    }
    change()
  }
  return { turn, ended, attempts: () => attempts }
}
