import type { Clock, Output } from '../runtime/runtime'

/** Tells people how far a run is. */
export interface Progress {
  readonly wrote: (rows: number, failed: number) => void
  /** Erases the line. */
  readonly stop: () => Promise<void>
}

const erase = '\r\u001b[K'
const intervalMs = 1000

/**
 * A line on a terminal with rows done, failed and a second; silent elsewhere. `left` tells which share of
 * the input is still to be read, where that is known. R10
 */
export const progress = (
  output: Output,
  clock: Clock,
  left: () => number | undefined,
): Progress => {
  if (!output.isTTY) return { wrote: () => undefined, stop: () => Promise.resolve() }
  const began = clock.monotonic()
  let [done, failed] = [0, 0]
  let cancel = (): void => undefined
  const draw = (): void => {
    const seconds = (clock.monotonic() - began) / 1000
    const rate = seconds > 0 ? done / seconds : 0
    const share = left()
    const rest =
      share === undefined || share >= 1
        ? ''
        : `, ${clockTime((seconds * share) / (1 - share))} left`
    const line = `batch: ${done} rows done, ${failed} failed, ${rate.toFixed(1)} a second${rest}`
    output.write(`${erase}${line.slice(0, (output.columns ?? 80) - 1)}`).catch(() => undefined)
  }
  const tick = (): void => {
    draw()
    cancel = clock.timer(intervalMs, tick)
  }
  tick()
  return {
    wrote: (rows, failures) => {
      done += rows
      failed += failures
    },
    stop: () => {
      cancel()
      return output.write(erase)
    },
  }
}

/** `75` as `1m15s`. */
const clockTime = (seconds: number): string => {
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  const parts = [hours > 0 ? `${hours}h` : '', whole >= 60 ? `${minutes}m` : '', `${whole % 60}s`]
  return parts.join('')
}
