import { oneLine } from './markdown'

/** A Markdown table, without a final newline. */
export const markdownTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

/** Text as a table cell can hold it: on one line, with `|` escaped. */
const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|')
