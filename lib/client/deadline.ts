import type { Clock } from '../runtime/runtime'
import { longestTimer } from '../text/duration'

/** A time limit. Its signal fires when the time is up, and when the parent signal fires. D10 */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time was up, rather than the parent signal fired. */
  readonly isExpired: () => boolean
  /** Stops the clock. With `abort` the signal fires too, which closes a connection that is still open. */
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
  const controller = new AbortController()
  let expired = false
  const cancel = () => controller.abort()
  const expire = () => {
    expired = true
    controller.abort()
  }
  const stop = ms > 0 && ms <= longestTimer ? clock.timer(ms, expire) : () => undefined
  parent.addEventListener('abort', cancel)
  if (parent.aborted) cancel()
  return {
    signal: controller.signal,
    isExpired: () => expired,
    end: (abort) => {
      stop()
      parent.removeEventListener('abort', cancel)
      if (abort) controller.abort()
    },
  }
}
