import { formatDuration } from '../../failure/text/duration'
import { showTickingLine } from '../../runtime/node/transient-line'
import type { Clock, Output } from '../../runtime/runtime'
import type { BatchSummary } from './summary'

/**
 * Shows a progress line: rows done, all rows, failed rows, rows per second, remaining time. Returns a function that erases
 * the line. Shows nothing if `output` is not a terminal. `countRows` resolves with the number of all rows, or `undefined` if
 * it is unknown.
 */
export const showBatchProgress = (
  output: Output,
  clock: Clock,
  totals: () => Pick<BatchSummary, 'records' | 'failed'>,
  countRows: () => Promise<number | undefined>,
): (() => Promise<void>) => {
  if (!output.isTTY) return () => Promise.resolve()
  const recordsBefore = totals().records
  let total: number | undefined
  countRows().then(
    (counted) => {
      total = counted
    },
    // The run reads the input too, and reports this failure.
    () => undefined,
  )
  const describe = (seconds: number): string => {
    const { records: done, failed } = totals()
    const rate = seconds > 0 ? (done - recordsBefore) / seconds : 0
    const ofTotal = total === undefined ? '' : ` of ${total}`
    const timeLeft =
      total === undefined || rate === 0 ? '' : `, ${formatSeconds((total - done) / rate)} left`
    return `batch: ${done}${ofTotal} rows done, ${failed} failed, ${rate.toFixed(1)} a second${timeLeft}`
  }
  return showTickingLine(output, clock, describe).stop
}

/** Formats a number of seconds, such as 75, as `1m15s`. */
const formatSeconds = (seconds: number): string =>
  formatDuration(BigInt(Math.round(Math.max(0, seconds))) * nanosecondsPerSecond)

const nanosecondsPerSecond = 1_000_000_000n
