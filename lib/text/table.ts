import { escapeCiCommands, sanitize } from './sanitize'
import { plainLayout, type TextLayout } from './terminal'
import { cutToWidth, measureWidth } from './width'

export { cutToWidth, measureWidth } from './width'

/** Makes a received text safe for a table cell: on one line, without invisible characters. */
export const cleanCell = (text: string): string =>
  escapeCiCommands(sanitize(text.replaceAll('\t', ' ')))

/** The layout of a table. */
export interface TableLayout extends TextLayout {
  /** The titles of the columns to leave out if the terminal is too narrow, the first one first. By default the last columns go first. */
  readonly droppable?: ReadonlyArray<string>
  /** The title of the column with the numbers that decide. They are bold. */
  readonly decisive?: string
}

/** The minimum width of a column that is cut because the terminal is too narrow. */
const minCutWidth = 8

/** The space between two columns. */
const columnGap = 2

/**
 * Formats a table for a terminal, without a final newline. The first `textColumnCount` columns are aligned left. The others, which
 * have numbers, are aligned right. On a terminal, `layout` leaves out columns, and then cuts texts, so that no row breaks.
 */
export const alignTable = (
  textColumnCount: number,
  headers: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  layout: TableLayout = plainLayout,
): string => {
  const lines = [headers, ...rows].map((cells) => cells.map(cleanCell))
  const fullWidths = headers.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, measureWidth(line[column] ?? '')), 0),
  )
  const columns = chooseColumns(textColumnCount, headers, fullWidths, layout)
  const widths = cutColumns(textColumnCount, columns, fullWidths, layout)
  const alignCell = (cell: string, column: number): string => {
    const width = widths[column] ?? 0
    const shown = cutToWidth(cell, width)
    const padding = ' '.repeat(width - measureWidth(shown))
    return column < textColumnCount ? shown + padding : padding + shown
  }
  return lines
    .map((cells, row) => {
      const shownCells = columns.map((column) => {
        const cell = alignCell(cells[column] ?? '', column)
        const isDecisive = row > 0 && headers[column] === layout.decisive
        return isDecisive ? layout.paint('bold', cell) : cell
      })
      const line = shownCells.join(' '.repeat(columnGap)).trimEnd()
      return row === 0 ? layout.paint('dim', line) : line
    })
    .join('\n')
}

/** Returns the widths of the columns. If they do not fit the terminal, the widest columns of texts are narrower than their texts. */
const cutColumns = (
  textColumnCount: number,
  columns: ReadonlyArray<number>,
  fullWidths: ReadonlyArray<number>,
  { width }: TableLayout,
): ReadonlyArray<number> => {
  const widths = [...fullWidths]
  if (width === undefined) return widths
  const widestFirst = columns
    .filter((column) => column < textColumnCount)
    .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
  for (const column of widestFirst) {
    const excess = sumWidths(columns, widths) - width
    const full = widths[column] ?? 0
    if (excess > 0) widths[column] = Math.min(full, Math.max(minCutWidth, full - excess))
  }
  return widths
}

const sumWidths = (columns: ReadonlyArray<number>, widths: ReadonlyArray<number>): number =>
  columns.reduce((total, column, i) => total + (widths[column] ?? 0) + (i === 0 ? 0 : columnGap), 0)

/** Chooses the indexes of the columns to show: as many as fit the terminal, but at least one beside those with texts. */
const chooseColumns = (
  textColumnCount: number,
  headers: ReadonlyArray<string>,
  widths: ReadonlyArray<number>,
  { width, droppable }: TableLayout,
): ReadonlyArray<number> => {
  let columns = headers.map((_, column) => column)
  if (width === undefined) return columns
  const candidates = droppable?.map((title) => headers.indexOf(title)) ?? columns.toReversed()
  for (const candidate of candidates) {
    if (sumWidths(columns, widths) <= width || columns.length <= textColumnCount + 1) break
    columns = columns.filter((column) => column !== candidate)
  }
  return columns
}

/**
 * Formats a count with its noun, and with a verb if you pass its two forms: `1 row`, `3 rows`, `1 row lacks`, `3 rows
 * lack`.
 */
export const formatCount = (
  count: number,
  noun: string,
  singularVerb?: string,
  pluralVerb?: string,
): string => {
  const countedNoun = count === 1 ? `1 ${noun}` : `${count} ${noun}s`
  const verb = count === 1 ? singularVerb : pluralVerb
  return verb === undefined ? countedNoun : `${countedNoun} ${verb}`
}
