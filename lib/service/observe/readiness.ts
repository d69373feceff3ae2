import * as E from 'fp-ts/Either'
import type { Clock } from '../../runtime/runtime'
import type { Logger } from '../../tracing/log'
import type { Engine } from '../contract/engine'

/** The readiness of the service, for `GET /readyz`. */
export interface Readiness {
  /**
   * Returns the reason why the service is not ready, or `undefined` if it is ready. If the engine is unreachable, pings it at most
   * once per second, and waits up to 500 ms for the result.
   */
  readonly findUnreadyReason: () => Promise<string | undefined>
  /** Updates the readiness after a call to the engine. `isAnswered` is false if the engine failed. */
  readonly recordCall: (isAnswered: boolean) => void
  /** Makes the service unready, because it is stopping, and cancels a running ping. */
  readonly stop: () => void
}

/** The minimum time between two pings that `/readyz` causes. */
const minPingIntervalMs = 1000

/** The maximum time that `/readyz` waits for a ping: half of the default timeout of a Kubernetes probe. */
const maxPingWaitMs = 500

/**
 * Tracks the readiness of a service. It becomes ready with the first successful ping or call. A failed call makes it unready and
 * starts a ping. If the ping succeeds, the service is ready again. A service whose engine has no `ping` is always ready.
 */
export const createReadiness = (
  { name, ping }: Engine,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Readiness => {
  const stopController = new AbortController()
  let isReachable = ping === undefined
  let runningPing: Promise<void> | undefined
  // Long ago, so the first ping need not wait.
  let lastPingAt = Number.NEGATIVE_INFINITY

  const setReachable = (isReachableNow: boolean): void => {
    if (isReachable === isReachableNow) return
    isReachable = isReachableNow
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
    findUnreadyReason: async () => {
      if (!isReachable && ping !== undefined) {
        if (clock.monotonic() - lastPingAt >= minPingIntervalMs) startPing(ping)
        const sleepController = new AbortController()
        await Promise.race([runningPing, clock.sleep(maxPingWaitMs, sleepController.signal)])
        // Cancels the timer, which would keep the process alive.
        sleepController.abort()
      }
      if (stopController.signal.aborted) return 'The service is stopping.'
      return isReachable ? undefined : 'The engine does not answer.'
    },
    recordCall: (isAnswered) => {
      if (ping === undefined) return
      setReachable(isAnswered)
      if (!isAnswered) startPing(ping)
    },
    stop: () => stopController.abort(),
  }
}
