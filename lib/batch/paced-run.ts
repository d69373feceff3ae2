import { setMaxListeners } from 'node:events'
import type { ClientEnv } from '../client/env'
import { keepConnections } from '../client/env'
import type { Run } from './ask-all'
import type { Plan } from './ask-row'
import { createPace, type Speed } from './pace'

/** A run with a pace, and the number of attempts it has made. */
export interface PacedRun extends Run {
  readonly attempts: () => number
}

/**
 * Prepares a run: a client with a pace, over connections that are kept alive. The given client's signal
 * interrupts it. R5, R6, R9
 */
export const createPacedRun = (
  plan: Plan,
  client: ClientEnv & { readonly signal: AbortSignal },
  { failFast, ...speed }: Speed & { readonly failFast: boolean },
): PacedRun => {
  const { signal: interrupt, runtime } = client
  const halt = new AbortController()
  interrupt.addEventListener('abort', () => halt.abort())
  if (interrupt.aborted) halt.abort()
  // Every call in flight listens to this signal; Node 20 takes more than ten listeners for a leak and says so
  // on stderr.
  setMaxListeners(0, halt.signal)
  const pace = createPace(runtime.clock, speed)
  return {
    ...{ plan, halt, interrupt, failFast, concurrency: speed.concurrency },
    client: { ...keepConnections(client), signal: halt.signal, pace },
    attempts: pace.attempts,
  }
}
