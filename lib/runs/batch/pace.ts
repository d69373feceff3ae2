import { EventEmitter, once, setMaxListeners } from 'node:events'
import {
  type EndedAttempt,
  keepConnections,
  type Pace,
  type ServiceClient,
} from '../../client/call/call-context'
import type { Clock } from '../../runtime/runtime'
import type { BatchSetup } from './batch-loop'
import type { BatchPlan } from './plan'

/** The limits on the attempts of a run. */
export interface PaceLimits {
  /** The maximum of attempts at the same time. */
  readonly concurrency: number
  /** The maximum of attempts per minute, evenly spaced; `undefined` for no limit. */
  readonly rpm: number | undefined
}

/** The statuses of a service that is overloaded or temporarily unavailable. */
const busyStatuses: ReadonlySet<number | undefined> = new Set([429, 503, 529])

/** The answers in a row that raise the maximum of attempts in flight by one. */
const answersPerRaise = 20

const msPerMinute = 60_000

/**
 * Creates the pace of a run. When the service asks for a wait, no attempt starts until the wait is over, and the maximum of
 * attempts in flight is halved; every 20 answers in a row raise it by one again.
 */
export const createRunPace = (
  { monotonic, sleep }: Clock,
  { concurrency, rpm }: PaceLimits,
): Pace & { readonly attempts: () => number } => {
  let attempts = 0
  let inFlight = 0
  let maxInFlight = concurrency
  let answersInARow = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let nextStart = Number.NEGATIVE_INFINITY
  const endings = new EventEmitter()
  // Every row that waits listens; Node warns of a leak after ten listeners.
  endings.setMaxListeners(0)

  const awaitTurn = async (signal?: AbortSignal): Promise<void> => {
    while (!signal?.aborted) {
      const now = monotonic()
      const wait = Math.max(pausedUntil, nextStart) - now
      if (wait > 0) await sleep(wait, signal)
      else if (inFlight >= maxInFlight)
        await once(endings, 'ended', { signal }).catch(() => undefined)
      else {
        attempts += 1
        inFlight += 1
        if (rpm !== undefined) nextStart = now + msPerMinute / rpm
        return
      }
    }
  }
  const reportEnd = ({ answered, status, retryAfterMs = 0 }: EndedAttempt): void => {
    inFlight -= 1
    const now = monotonic()
    if (busyStatuses.has(status) && retryAfterMs > 0) {
      if (now >= pausedUntil) maxInFlight = Math.max(1, Math.floor(maxInFlight / 2))
      pausedUntil = Math.max(pausedUntil, now + retryAfterMs)
    }
    answersInARow = answered ? answersInARow + 1 : 0
    if (answersInARow === answersPerRaise) {
      answersInARow = 0
      maxInFlight = Math.min(maxInFlight + 1, concurrency)
    }
    endings.emit('ended')
  }
  return { awaitTurn, reportEnd, attempts: () => attempts }
}

/** The setup of a run whose client keeps a pace. */
export interface PacedSetup extends BatchSetup {
  /** Returns how many attempts were made so far. */
  readonly attempts: () => number
}

/**
 * Creates the setup of a run: a client that keeps a pace, over connections that are reused. The signal of the given client
 * interrupts the run.
 */
export const createPacedSetup = (
  plan: BatchPlan,
  client: ServiceClient & { readonly signal: AbortSignal },
  { failFast, keepGoing, ...speed }: PaceLimits & Pick<BatchSetup, 'failFast' | 'keepGoing'>,
): PacedSetup => {
  const { signal: interrupt, runtime } = client
  const halt = new AbortController()
  interrupt.addEventListener('abort', () => halt.abort())
  if (interrupt.aborted) halt.abort()
  // Every call in flight listens to this signal; Node 20 warns of a leak on stderr after ten listeners.
  setMaxListeners(0, halt.signal)
  const pace = createRunPace(runtime.clock, speed)
  return {
    plan,
    halt,
    interrupt,
    failFast,
    keepGoing,
    concurrency: speed.concurrency,
    client: { ...keepConnections(client), signal: halt.signal, pace },
    attempts: pace.attempts,
  }
}
