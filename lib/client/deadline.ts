import type { Clock } from '../runtime/runtime'

/** The longest delay a timer can hold, 24 days. */
const maxTimer = 2 ** 31 - 1

/** The end of one attempt: a signal that fires on timeout or with `parent`. D10 */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the timeout fired, which the signal alone does not tell. */
  readonly expired: () => boolean
  /** Stops the clock. With `abort` the signal fires, so that a connection still open is closed. */
  readonly end: (abort: boolean) => void
}

/** Starts the clock of one attempt; `ms` 0 means no timeout. */
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
  const stop = ms > 0 && ms <= maxTimer ? clock.timer(ms, expire) : () => undefined
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
