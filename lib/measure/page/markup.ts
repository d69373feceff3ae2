import { sanitize } from '../../text/sanitize'
import { formatFigure, formatShare } from '../format-figures'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/**
 * Escapes a text for elements and quoted attributes of HTML and SVG. Line breaks and control characters are escaped too. U+FFFE and
 * U+FFFF, which XML does not allow, become U+FFFD.
 */
export const escapeText = (text: string): string =>
  sanitize(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] as string)

/** Escapes a text and keeps its line breaks. */
const escapeLines = (text: string): string =>
  text
    .split(/\r\n|[\r\n]/)
    .map(escapeText)
    .join('<br>')

/** Formats a coordinate with at most two decimals. */
export const formatCoordinate = (value: number): string => String(Math.round(value * 100) / 100)

/** Formats a figure with three decimals, a whole number without any, and null as `–`. */
export const formatCell = formatFigure

/** Formats a share, 0 to 1, in percent, and null as `–`. */
export const formatPercentCell = (share: number | null): string =>
  share === null ? '–' : formatShare(share)

/** A table of the page. Columns are aligned as numbers unless they are text or word columns. */
export interface PageTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The titles of the columns with long texts, which may wrap. */
  readonly textColumns?: ReadonlyArray<string>
  /** The titles of the columns with short words, which do not wrap. */
  readonly wordColumns?: ReadonlyArray<string>
  /** `true` if a narrow window shows the long texts of a row below its other cells. */
  readonly stacks?: boolean
}

/**
 * Formats a table. Screen readers read `name`. If `createLink` is passed, the first cell of each row is a link. `createLink`
 * returns its address for the index of a row.
 */
export const formatTable = (
  name: string,
  { columns, rows, textColumns = [], wordColumns = [], stacks = false }: PageTable,
  createLink?: (rowIndex: number) => string,
): string => {
  const formatClass = (column: number): string => {
    const title = columns[column] ?? ''
    if (textColumns.includes(title)) return ' class="text"'
    return wordColumns.includes(title) ? ' class="word"' : ''
  }
  const formatFirstCell = (cell: string, rowIndex: number): string => {
    const text = escapeText(cell)
    const content =
      createLink === undefined ? text : `<a href="${createLink(rowIndex)}">${text}</a>`
    return `<th scope="row"${formatClass(0)}>${content}</th>`
  }
  const head = columns.map(
    (title, column) => `<th scope="col"${formatClass(column)}>${escapeText(title)}</th>`,
  )
  const lines = rows.map((cells, rowIndex) => {
    const formattedCells = cells.map((cell, column) =>
      column === 0
        ? formatFirstCell(cell, rowIndex)
        : `<td${formatClass(column)}>${escapeLines(cell)}</td>`,
    )
    return `<tr>${formattedCells.join('')}</tr>`
  })
  return formatTableFrame(
    name,
    `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`,
    stacks ? 'stacks' : undefined,
  )
}

/** A line of a description list: a name and a text. */
export type Detail = readonly [name: string, text: string]

/** Formats a description list. */
export const formatDetails = (details: ReadonlyArray<Detail>): string => {
  const items = details.map(
    ([name, text]) => `<div><dt>${escapeText(name)}</dt><dd>${escapeText(text)}</dd></div>`,
  )
  return `<dl>${items.join('')}</dl>`
}

/**
 * Formats a table inside an element that scrolls sideways and takes the keyboard focus. `content` is markup, and `cssClass` the class of
 * the table.
 */
export const formatTableFrame = (name: string, content: string, cssClass?: string): string =>
  `<div class="scroll" role="group" tabindex="0" aria-label="${escapeText(name)}"><table${cssClass === undefined ? '' : ` class="${cssClass}"`}>${content}</table></div>`

/** Formats a count below 10,000 with all digits, and a larger one in thousands, such as `12k`. */
export const formatShortCount = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`
