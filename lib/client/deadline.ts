import type { Clock, Ending } from '../runtime/runtime'
import { longestTimer } from '../text/duration'

/** A time limit. It ends when the time is up, and when the parent signal fires. D10 */
export interface Deadline extends Ending {
  /** Whether the time was up, rather than the parent signal fired. */
  readonly isExpired: () => boolean
  /** Stops the clock. With `abort` the exchange ends too, which closes a connection that is still open. */
  readonly end: (abort: boolean) => void
}

/**
 * Starts the clock. `ms` is in milliseconds; 0 means no limit, and so does a time longer than Node's timers
 * allow.
 */
export const startDeadline = (
  clock: Pick<Clock, 'timer'>,
  parent: AbortSignal,
  ms: number,
): Deadline => {
  let isAborted = parent.aborted
  let isExpired = false
  let controller: AbortController | undefined
  const listeners: Array<() => void> = []
  const cancel = (): void => {
    isAborted = true
    for (const run of listeners.splice(0)) run()
    controller?.abort()
  }
  const expire = (): void => {
    isExpired = true
    cancel()
  }
  const stop = ms > 0 && ms <= longestTimer ? clock.timer(ms, expire) : () => undefined
  parent.addEventListener('abort', cancel)
  return {
    get signal() {
      controller ??= new AbortController()
      if (isAborted) controller.abort()
      return controller.signal
    },
    whenOver: (run) => {
      if (isAborted) run()
      else listeners.push(run)
    },
    isExpired: () => isExpired,
    end: (abort) => {
      stop()
      parent.removeEventListener('abort', cancel)
      if (abort) cancel()
    },
  }
}
