import { formatDuration } from '../../failure/text/duration'
import { showTickingLine } from '../../runtime/node/transient-line'
import type { Clock, Output } from '../../runtime/runtime'
import type { Summary } from './summary'

/**
 * Shows one line on a terminal: rows done of how many, rows failed, rows per second, time left. Returns the
 * function that erases it. Shows nothing where `output` is not a terminal. `count` resolves with how many rows
 * there are, or with `undefined` where that cannot be known.
 */
export const showBatchProgress = (
  output: Output,
  clock: Clock,
  totals: () => Pick<Summary, 'records' | 'failed'>,
  count: () => Promise<number | undefined>,
): (() => Promise<void>) => {
  if (!output.isTTY) return () => Promise.resolve()
  const before = totals().records
  let total: number | undefined
  count().then(
    (counted) => {
      total = counted
    },
    // The run itself reads the input too, and says why that failed.
    () => undefined,
  )
  const describe = (seconds: number): string => {
    const { records: done, failed } = totals()
    const rate = seconds > 0 ? (done - before) / seconds : 0
    const of = total === undefined ? '' : ` of ${total}`
    const left =
      total === undefined || rate === 0 ? '' : `, ${formatSeconds((total - done) / rate)} left`
    return `batch: ${done}${of} rows done, ${failed} failed, ${rate.toFixed(1)} a second${left}`
  }
  return showTickingLine(output, clock, describe).stop
}

/** Writes a number of seconds, such as 75, as `1m15s`. */
const formatSeconds = (seconds: number): string =>
  formatDuration(BigInt(Math.round(Math.max(0, seconds))) * 1_000_000_000n)
