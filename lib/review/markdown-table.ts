import { oneLine } from '../text/markdown'

/** A Markdown table, without a final newline. */
export const markdownTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

/** Text that stays inside its table cell. */
const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|')
