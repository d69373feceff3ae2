import { longestTimer } from '../runtime/duration'
import type { Clock } from '../runtime/runtime'

/** A time limit: its signal fires when the time is up, and when the parent signal fires. D10 */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time was up. The signal looks the same in both cases. */
  readonly expired: () => boolean
  /** Stops the clock. `abort` fires the signal as well, which closes a connection that is still open. */
  readonly end: (abort: boolean) => void
}

/** Starts the clock. An `ms` of 0 is no limit, and so is one longer than a timer can hold. */
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
    expired: () => expired,
    end: (abort) => {
      stop()
      parent.removeEventListener('abort', cancel)
      if (abort) controller.abort()
    },
  }
}
