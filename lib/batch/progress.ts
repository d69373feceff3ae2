import { tickingLine } from '../runtime/node/transient-line'
import type { Clock, Output } from '../runtime/runtime'
import { formatDuration } from '../text/duration'

/** Shows people how far a run has come. */
export interface Progress {
  readonly wrote: (rows: number, failed: number) => void
  /** Erases the line. */
  readonly stop: () => Promise<void>
}

/**
 * Shows one line on a terminal: rows done, rows failed, rows per second, time left. Shows nothing where
 * `output` is not a terminal. `left` returns the share of the input still to be read, 0 to 1, where that is
 * known. R10
 */
export const progress = (
  output: Output,
  clock: Clock,
  left: () => number | undefined,
): Progress => {
  if (!output.isTTY) return { wrote: () => undefined, stop: () => Promise.resolve() }
  let [done, failed] = [0, 0]
  const line = tickingLine(output, clock, (seconds) => {
    const rate = seconds > 0 ? done / seconds : 0
    const share = left()
    const rest =
      share === undefined || share >= 1
        ? ''
        : `, ${wholeSeconds((seconds * share) / (1 - share))} left`
    return `batch: ${done} rows done, ${failed} failed, ${rate.toFixed(1)} a second${rest}`
  })
  return {
    wrote: (rows, failures) => {
      done += rows
      failed += failures
    },
    stop: line.stop,
  }
}

/** Writes a number of seconds, such as 75, as `1m15s`. */
const wholeSeconds = (seconds: number): string =>
  formatDuration(BigInt(Math.round(seconds)) * 1_000_000_000n)
