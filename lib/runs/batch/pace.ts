import { EventEmitter, once, setMaxListeners } from 'node:events'
import type { EndedAttempt, Pace } from '../../client/call/call-context'
import { keepConnections, type ServiceClient } from '../../client/call/client'
import type { Clock } from '../../runtime/runtime'
import type { BatchSetup } from './batch-setup'
import type { BatchPlan } from './plan'

/** The limits on the attempts of a run. */
export interface PaceLimits {
  /** The maximum number of attempts in flight. */
  readonly concurrency: number
  /** The maximum number of attempts per minute, evenly spaced; `undefined` for no limit. */
  readonly rpm: number | undefined
}

/** The HTTP statuses of an overloaded or temporarily unavailable service. */
const busyStatuses: ReadonlySet<number | undefined> = new Set([429, 503, 529])

/** After this number of answered (successful) attempts in a row, one more attempt may be in flight. */
const answeredPerRaise = 20

const msPerMinute = 60_000

/**
 * Creates the pace of a run, which delays the attempts of its calls. If an overloaded service sends a `Retry-After`, no attempt starts
 * before that time is over, and only half as many attempts may be in flight. Every 20 answered attempts in a row allow one more
 * attempt in flight, up to the concurrency.
 */
export const createRunPace = (
  { monotonic, sleep }: Clock,
  { concurrency, rpm }: PaceLimits,
): Pace & { readonly countAttempts: () => number } => {
  let startedAttempts = 0
  let inFlight = 0
  let maxInFlight = concurrency
  let answeredInARow = 0
  // Times of the monotonic clock, in milliseconds. The first attempt may start at once.
  let pausedUntil = Number.NEGATIVE_INFINITY
  let nextStart = Number.NEGATIVE_INFINITY
  const endings = new EventEmitter()
  // Each waiting attempt adds a listener. Node warns about more than ten listeners as a possible leak.
  endings.setMaxListeners(0)

  const awaitTurn = async (signal?: AbortSignal): Promise<void> => {
    while (!signal?.aborted) {
      const now = monotonic()
      const waitMs = Math.max(pausedUntil, nextStart) - now
      if (waitMs > 0) {
        await sleep(waitMs, signal)
      } else if (inFlight >= maxInFlight) {
        // `once` rejects if the signal fires.
        await once(endings, 'ended', { signal }).catch(() => undefined)
      } else {
        startedAttempts += 1
        inFlight += 1
        if (rpm !== undefined) nextStart = now + msPerMinute / rpm
        return
      }
    }
    // The signal has fired, so the run is over and its counts no longer matter.
  }
  const reportEnd = ({ isAnswered, status, retryAfterMs = 0 }: EndedAttempt): void => {
    inFlight -= 1
    const now = monotonic()
    if (busyStatuses.has(status) && retryAfterMs > 0) {
      // Several attempts may report the same overload. Only the first one halves the limit.
      if (now >= pausedUntil) maxInFlight = Math.max(1, Math.floor(maxInFlight / 2))
      pausedUntil = Math.max(pausedUntil, now + retryAfterMs)
    }
    answeredInARow = isAnswered ? answeredInARow + 1 : 0
    if (answeredInARow === answeredPerRaise) {
      answeredInARow = 0
      maxInFlight = Math.min(maxInFlight + 1, concurrency)
    }
    // Wakes all waiting attempts. Each checks again if it may start.
    endings.emit('ended')
  }
  return { awaitTurn, reportEnd, countAttempts: () => startedAttempts }
}

/** A setup of a batch whose client waits for the pace before each attempt. */
export interface PacedSetup extends BatchSetup {
  /** Returns the number of attempts that have started so far. */
  readonly countAttempts: () => number
}

/**
 * Creates the setup of a batch. Its client waits for the pace before each attempt, and reuses connections. The signal of `client`
 * interrupts the run.
 */
export const createPacedSetup = (
  plan: BatchPlan,
  client: ServiceClient & { readonly signal: AbortSignal },
  { failFast, keepGoing, ...limits }: PaceLimits & Pick<BatchSetup, 'failFast' | 'keepGoing'>,
): PacedSetup => {
  const { signal: interruptSignal, runtime } = client
  const callController = new AbortController()
  interruptSignal.addEventListener('abort', () => callController.abort())
  if (interruptSignal.aborted) callController.abort()
  // Each call in flight adds a listener. Node 20 warns on stderr about more than ten listeners as a possible leak.
  setMaxListeners(0, callController.signal)
  const pace = createRunPace(runtime.clock, limits)
  return {
    plan,
    callController,
    interrupt: interruptSignal,
    failFast,
    keepGoing,
    concurrency: limits.concurrency,
    client: { ...keepConnections(client), signal: callController.signal, pace },
    countAttempts: pace.countAttempts,
  }
}
