import { longestTimer } from '../runtime/duration'
import type { Clock } from '../runtime/runtime'

/** A signal that fires when the time is up or with its parent, and says which of the two it was. D10 */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time was up: the signal alone does not tell. */
  readonly expired: () => boolean
  /** Stops the clock. With `abort` the signal fires, so that a connection still open is closed. */
  readonly end: (abort: boolean) => void
}

/** Starts the clock. No limit for `ms` 0, and for times that no timer can hold. */
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
