import { largest } from '../statistics/numbers'
import { sanitize } from '../text/harmless'

/**
 * Writes a table for a terminal. The first `words` columns are aligned left, the others, which hold numbers,
 * right. There is no final newline.
 */
export const alignTable = (
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
