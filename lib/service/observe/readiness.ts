import * as E from 'fp-ts/Either'
import type { Clock } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { Engine } from '../contract/engine'

/** Readiness for `GET /readyz`. */
export interface Readiness {
  /**
   * Returns the reason why the service cannot answer, or `undefined` if it can. While the engine is away, this pings
   * it again, and waits for the result for up to `patienceMs` milliseconds.
   */
  readonly findProblem: () => Promise<string | undefined>
  /** Records whether the engine answered a call. */
  readonly noteCall: (answered: boolean) => void
  /** Makes the service unready for good: it is shutting down. */
  readonly stop: () => void
}

/** The minimum time between two pings of the engine that requests for `/readyz` cause. */
const minBetweenMs = 1000

/**
 * The maximum time that a request for `/readyz` waits for a ping. Kubernetes gives up on a probe after one second.
 */
const patienceMs = 500

/**
 * Tracks whether the engine is reachable. A call that it fails to answer makes the service unready, and pings
 * the engine at once: if that succeeds the service is ready again, so one bad request does not turn other
 * callers away. An engine without `ping` always counts as reachable.
 */
export const createReadiness = (
  { name, ping }: Engine,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Readiness => {
  const end = new AbortController()
  let there = ping === undefined
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
    findProblem: async () => {
      if (!there && ping !== undefined) {
        if (clock.monotonic() - lastLook >= minBetweenMs) look(ping)
        const found = new AbortController()
        await Promise.race([looking, clock.sleep(patienceMs, found.signal)])
        found.abort()
      }
      if (end.signal.aborted) return 'The service is stopping.'
      return there ? undefined : 'The engine does not answer.'
    },
    noteCall: (answered) => {
      if (ping === undefined) return
      set(answered)
      if (!answered) look(ping)
    },
    stop: () => end.abort(),
  }
}
