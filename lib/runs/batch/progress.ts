import { maxLineLength, showTickingLine } from '../../runtime/node/transient-line'
import type { Clock, Output } from '../../runtime/runtime'
import { formatDuration } from '../../text/duration'
import type { BatchSummary } from './summary'

/** The line appears after 300 ms, because a shorter run needs none, and is redrawn four times a second. */
const drawTimes = { delayMs: 300, intervalMs: 250 }

/** The widths of the bar in columns. It takes the room that the numbers leave, and is left out if there is too little. */
const maxBarWidth = 20
const minBarWidth = 5

/**
 * Shows a progress line: a bar, the share of rows done, rows done of all rows, rows per second, remaining time, failed rows, and the cost
 * if it is known. Returns a function that erases the line. Shows nothing if `output` is not a terminal. `countRows` resolves with the number of all rows, or `undefined` if
 * it is unknown.
 */
export const showBatchProgress = (
  output: Output,
  clock: Clock,
  sumTotals: () => Pick<BatchSummary, 'records' | 'failed' | 'cost'>,
  countRows: () => Promise<number | undefined>,
): (() => Promise<void>) => {
  if (!output.isTTY) return () => Promise.resolve()
  // A resumed run begins with the records of its output. They do not count as rows per second.
  const recordsAtStart = sumTotals().records
  let allRows: number | undefined
  // The line shows the number of all rows as soon as they are counted.
  countRows().then(
    (rowCount) => {
      allRows = rowCount
    },
    // The run reads the input too, and reports this failure.
    () => undefined,
  )
  const describe = (seconds: number): string => {
    // Each record is shown as a row.
    const { records: done, failed, cost } = sumTotals()
    const rowsPerSecond = seconds > 0 ? (done - recordsAtStart) / seconds : 0
    const rate = `${rowsPerSecond.toFixed(1)}/s`
    const failedAndCost = [
      `${failed} failed`,
      ...(cost === undefined || cost === null || cost === 0 ? [] : [`cost ${formatCost(cost)}`]),
    ]
    if (allRows === undefined || allRows === 0)
      return `batch: ${[`${done} rows done`, rate, ...failedAndCost].join(', ')}`
    const share = Math.min(1, done / allRows)
    const timeLeft =
      rowsPerSecond === 0 ? [] : [`${formatSeconds((allRows - done) / rowsPerSecond)} left`]
    const parts = [`${done} of ${allRows} rows`, rate, ...timeLeft, ...failedAndCost]
    const numbers = `${Math.floor(share * 100)} %  ${parts.join(', ')}`
    const room = maxLineLength(output) - 'batch:  '.length - numbers.length
    const bar = room < minBarWidth ? '' : `${drawBar(share, Math.min(maxBarWidth, room))} `
    return `batch: ${bar}${numbers}`
  }
  return showTickingLine(output, clock, describe, drawTimes).stop
}

const drawBar = (share: number, barWidth: number): string => {
  const filledWidth = Math.floor(share * barWidth)
  return '█'.repeat(filledWidth) + '░'.repeat(barWidth - filledWidth)
}

/** Formats a cost in cents, or with two significant digits if it is smaller. */
const formatCost = (cost: number): string =>
  cost >= 0.01 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)))

const nanosecondsPerSecond = 1_000_000_000n

/** Formats a number of seconds, such as 75, as `1m15s`. */
const formatSeconds = (seconds: number): string =>
  formatDuration(BigInt(Math.round(Math.max(0, seconds))) * nanosecondsPerSecond)
