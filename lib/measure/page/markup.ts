import { sanitize } from '../../failure/text/sanitize'

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

/** Formats a figure with three significant digits, a whole number with all digits, and null as `–`. */
export const formatCell = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)))
}

/** Formats a share, 0 to 1, in percent, and null as `–`. Shares below 1 % or above 99 % get a decimal, except 0 and 1. */
export const formatPercentCell = (share: number | null): string => {
  if (share === null) return '–'
  const percent = share * 100
  const isWhole = (percent >= 1 && percent <= 99) || share === 0 || share === 1
  return `${isWhole ? Math.round(percent) : percent.toFixed(1)} %`
}

/** A table of the page. `text` and `words` are indexes of columns; the other columns are aligned as numbers. */
export interface PageTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The columns with long texts, which may wrap. */
  readonly text?: ReadonlyArray<number>
  /** The columns with short words, which do not wrap. */
  readonly words?: ReadonlyArray<number>
}

/** Formats a table. Screen readers read `name`. If `linkOf` is passed, the first cell of each row links to its result. */
export const formatTable = (
  name: string,
  { columns, rows, text = [], words = [] }: PageTable,
  linkOf?: (row: number) => string,
): string => {
  const classOf = (column: number): string => {
    if (text.includes(column)) return ' class="text"'
    return words.includes(column) ? ' class="word"' : ''
  }
  const head = columns.map((title, k) => `<th scope="col"${classOf(k)}>${escapeText(title)}</th>`)
  const lines = rows.map((cells, i) => {
    const formatted = cells.map((cell, k) => {
      if (k > 0) return `<td${classOf(k)}>${escapeLines(cell)}</td>`
      const link = linkOf?.(i)
      const content =
        link === undefined ? escapeText(cell) : `<a href="${link}">${escapeText(cell)}</a>`
      return `<th scope="row"${classOf(k)}>${content}</th>`
    })
    return `<tr>${formatted.join('')}</tr>`
  })
  return formatTableFrame(
    name,
    `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`,
  )
}

/** Formats a description list of names, each with a text. */
export const formatDetails = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const items = lines.map(
    ([name = '', text = '']) =>
      `<div><dt>${escapeText(name)}</dt><dd>${escapeText(text)}</dd></div>`,
  )
  return `<dl>${items.join('')}</dl>`
}

/** Formats a table inside an element that scrolls sideways and takes the keyboard focus. `content` is markup. */
export const formatTableFrame = (name: string, content: string): string =>
  `<div class="scroll" role="group" tabindex="0" aria-label="${escapeText(name)}"><table>${content}</table></div>`

/** Formats a count in at most five characters, such as `12k`. */
export const formatShortCount = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`
