import * as E from 'fp-ts/Either'
import type { Logger } from '../runtime/log'
import type { Clock } from '../runtime/runtime'
import type { Engine } from './engines/engine'

/** Whether the service can answer requests, for `GET /readyz`. D78 */
export interface Readiness {
  /** Why it cannot; `undefined` where it can. An engine that was away is looked for, at most for `patience`. */
  readonly problem: () => Promise<string | undefined>
  /** Takes note of a call: whether the engine answered. */
  readonly called: (answered: boolean) => void
  /** From now on it cannot. */
  readonly stop: () => void
}

/** How often callers of `/readyz` can have the engine looked for, in milliseconds. */
const leastBetween = 1000

/** How long they wait until it is found, in milliseconds. Kubernetes gives a probe one second. */
const patience = 500

/**
 * Follows an engine that can be away. A call that it does not answer makes the service unready, and has it looked for
 * at once, so that one bad request does not keep others out. An engine without a way to look for it is always there.
 */
export const newReadiness = (
  { name, ping, probe }: Engine,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Readiness => {
  const end = new AbortController()
  let there = ping === undefined || probe !== undefined
  let looking: Promise<void> | undefined
  let lastLook = Number.NEGATIVE_INFINITY

  const set = (answered: boolean): void => {
    if (there === answered) return
    there = answered
    if (there) log.info('ready', { engine: name })
    else log.warning('not ready', { engine: name })
  }
  const look = (ask: NonNullable<typeof ping>): void => {
    if (looking !== undefined || end.signal.aborted) return
    lastLook = clock.monotonic()
    looking = ask(end.signal)().then((found) => {
      looking = undefined
      set(E.isRight(found))
    })
  }
  return {
    problem: async () => {
      if (!there && ping !== undefined) {
        if (clock.monotonic() - lastLook >= leastBetween) look(ping)
        const found = new AbortController()
        await Promise.race([looking, clock.sleep(patience, found.signal)])
        found.abort()
      }
      if (end.signal.aborted) return 'The service is stopping.'
      return there ? undefined : 'The engine does not answer.'
    },
    called: (answered) => {
      if (ping === undefined) return
      set(answered)
      if (!answered) look(ping)
    },
    stop: () => end.abort(),
  }
}
