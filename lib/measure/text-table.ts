import { largest } from '../statistics/numbers'
import { sanitize } from '../text/harmless'

/** A table for a terminal: the first `words` columns stand to the left, those of numbers to the right. No final newline. */
export const textTable = (
  words: number,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string => {
  const lines = [columns, ...rows].map((cells) => cells.map((cell) => sanitize(cell)))
  const widths = columns.map((_, k) => largest(lines.map((cells) => [...(cells[k] ?? '')].length)))
  return lines
    .map((cells) =>
      cells
        .map((cell, k) => {
          const fill = ' '.repeat(Math.max(0, (widths[k] ?? 0) - [...cell].length))
          return k < words ? cell + fill : fill + cell
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A figure in three decimals; a count as it is, nothing as a dash. */
export const threeDecimals = (value: number | null): string =>
  value === null ? '–' : Number.isInteger(value) ? String(value) : value.toFixed(3)
