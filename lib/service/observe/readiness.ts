import * as E from 'fp-ts/Either'
import type { Clock } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { Engine } from '../contract/engine'

/** Readiness for `GET /readyz`. */
export interface Readiness {
  /**
   * Returns the reason why the service cannot answer, or `undefined` if it can. If the engine did not answer the last call,
   * this pings it again, and waits up to 500 ms for the result.
   */
  readonly findProblem: () => Promise<string | undefined>
  /** Records if the engine answered a call. */
  readonly noteCall: (isAnswered: boolean) => void
  /** Makes the service unready for good: it is shutting down. */
  readonly stop: () => void
}

/** The minimum time between two pings of the engine that requests for `/readyz` cause. */
const minPingIntervalMs = 1000

/** The maximum time that a request for `/readyz` waits for a ping. Kubernetes gives up on a probe after one second. */
const maxPingWaitMs = 500

/**
 * Tracks if the engine is reachable. A call that it fails to answer makes the service unready, and pings the engine at once:
 * if that succeeds the service is ready again, so one bad request does not turn other callers away. An engine without
 * `ping` always counts as reachable, any other engine from its first successful ping or call.
 */
export const createReadiness = (
  { name, ping }: Engine,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Readiness => {
  const stopController = new AbortController()
  let isReachable = ping === undefined
  let runningPing: Promise<void> | undefined
  let lastPingAt = Number.NEGATIVE_INFINITY

  const setReachable = (next: boolean): void => {
    if (isReachable === next) return
    isReachable = next
    if (isReachable) log.info('ready', { engine: name })
    else log.warning('not ready', { engine: name })
  }
  const startPing = (pingEngine: NonNullable<typeof ping>): void => {
    if (runningPing !== undefined || stopController.signal.aborted) return
    lastPingAt = clock.monotonic()
    runningPing = pingEngine(stopController.signal)().then((result) => {
      runningPing = undefined
      setReachable(E.isRight(result))
    })
  }
  return {
    findProblem: async () => {
      if (!isReachable && ping !== undefined) {
        if (clock.monotonic() - lastPingAt >= minPingIntervalMs) startPing(ping)
        const waitController = new AbortController()
        await Promise.race([runningPing, clock.sleep(maxPingWaitMs, waitController.signal)])
        waitController.abort()
      }
      if (stopController.signal.aborted) return 'The service is stopping.'
      return isReachable ? undefined : 'The engine does not answer.'
    },
    noteCall: (isAnswered) => {
      if (ping === undefined) return
      setReachable(isAnswered)
      if (!isAnswered) startPing(ping)
    },
    stop: () => stopController.abort(),
  }
}
