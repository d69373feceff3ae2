import { EventEmitter, once, setMaxListeners } from 'node:events'
import {
  type EndedAttempt,
  keepConnections,
  type Pace,
  type ServiceClient,
} from '../../client/call/call-context'
import type { Clock } from '../../runtime/runtime'
import type { RunSetup } from './batch-loop'
import type { Plan } from './plan'

/** How fast a run may make attempts. */
export interface Speed {
  /** The most attempts at the same time. */
  readonly concurrency: number
  /** The most attempts per minute, evenly spaced; `undefined` for no limit. */
  readonly rpm: number | undefined
}

/** The statuses of a service that is overloaded or temporarily unavailable. */
const busy: ReadonlySet<number | undefined> = new Set([429, 503, 529])

/** After so many answers in a row, one more attempt may be in flight. */
const earning = 20

/**
 * The pace of a run. When the service asks for a wait, no attempt starts until it is over, and the number in
 * flight is halved; each run of 20 answers raises it by one again.
 */
export const createRunPace = (
  { monotonic, sleep }: Clock,
  { concurrency, rpm }: Speed,
): Pace & { readonly attempts: () => number } => {
  let attempts = 0
  let inFlight = 0
  let limit = concurrency
  let inARow = 0
  let heldUntil = Number.NEGATIVE_INFINITY
  let nextSlot = Number.NEGATIVE_INFINITY
  const news = new EventEmitter()
  // Every row that waits listens, which would else be taken for a leak.
  news.setMaxListeners(0)

  const awaitTurn = async (signal?: AbortSignal): Promise<void> => {
    while (!signal?.aborted) {
      const now = monotonic()
      const wait = Math.max(heldUntil, nextSlot) - now
      if (wait > 0) await sleep(wait, signal)
      else if (inFlight >= limit) await once(news, 'ended', { signal }).catch(() => undefined)
      else {
        attempts += 1
        inFlight += 1
        if (rpm !== undefined) nextSlot = now + 60_000 / rpm
        return
      }
    }
  }
  const reportEnd = ({ answered, status, retryAfterMs = 0 }: EndedAttempt): void => {
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
    news.emit('ended')
  }
  return { awaitTurn, reportEnd, attempts: () => attempts }
}

/** The setup of a run with a pace, and the number of attempts it has made. */
export interface PacedSetup extends RunSetup {
  readonly attempts: () => number
}

/**
 * Prepares a run: a client with a pace, over connections that are kept alive. The given client's signal
 * interrupts it.
 */
export const createPacedSetup = (
  plan: Plan,
  client: ServiceClient & { readonly signal: AbortSignal },
  { failFast, keepGoing, ...speed }: Speed & Pick<RunSetup, 'failFast' | 'keepGoing'>,
): PacedSetup => {
  const { signal: interrupt, runtime } = client
  const halt = new AbortController()
  interrupt.addEventListener('abort', () => halt.abort())
  if (interrupt.aborted) halt.abort()
  // Every call in flight listens to this signal; Node 20 takes more than ten listeners for a leak and says so
  // on stderr.
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
