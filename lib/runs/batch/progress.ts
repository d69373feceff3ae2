import { showTickingLine } from '../../runtime/node/transient-line'
import type { Clock, Output } from '../../runtime/runtime'
import { formatDuration } from '../../text/duration'
import type { BatchSummary } from './summary'

/**
 * Shows a progress line: rows done, all rows, failed rows, rows per second, remaining time. Returns a function that erases
 * the line. Shows nothing if `output` is not a terminal. `countRows` resolves with the number of all rows, or `undefined` if
 * it is unknown.
 */
export const showBatchProgress = (
  output: Output,
  clock: Clock,
  sumTotals: () => Pick<BatchSummary, 'records' | 'failed'>,
  countRows: () => Promise<number | undefined>,
): (() => Promise<void>) => {
  if (!output.isTTY) return () => Promise.resolve()
  // A resumed run begins with the records of its output. They do not count as rows per second.
  const recordsAtStart = sumTotals().records
  let allRows: number | undefined
  // The line appears at once. It shows the number of all rows as soon as they are counted.
  countRows().then(
    (rowCount) => {
      allRows = rowCount
    },
    // The run reads the input too, and reports this failure.
    () => undefined,
  )
  const describe = (seconds: number): string => {
    // Each record is shown as a row.
    const { records: done, failed } = sumTotals()
    const rowsPerSecond = seconds > 0 ? (done - recordsAtStart) / seconds : 0
    const ofAllRows = allRows === undefined ? '' : ` of ${allRows}`
    const timeLeft =
      allRows === undefined || rowsPerSecond === 0
        ? ''
        : `, ${formatSeconds((allRows - done) / rowsPerSecond)} left`
    return `batch: ${done}${ofAllRows} rows done, ${failed} failed, ${rowsPerSecond.toFixed(1)} a second${timeLeft}`
  }
  return showTickingLine(output, clock, describe).stop
}

const nanosecondsPerSecond = 1_000_000_000n

/** Formats a number of seconds, such as 75, as `1m15s`. */
const formatSeconds = (seconds: number): string =>
  formatDuration(BigInt(Math.round(Math.max(0, seconds))) * nanosecondsPerSecond)
