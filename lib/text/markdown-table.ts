import { oneLine } from './markdown'

/** Writes a Markdown table, without a final newline. */
export const markdownTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

/** Prepares a text for a table cell: puts it on one line and escapes `|`. */
const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|')
