import { sanitize } from '../../failure/text/harmless'

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

/** Formats a figure for a table with three significant digits; whole numbers with all digits; null as `–`. */
export const formatCell = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(3)))
}

/** Formats a share, 0 to 1, in percent; null as `–`. It has a decimal only if it is below 1 % or above 99 %. */
export const formatPercentCell = (share: number | null): string => {
  if (share === null) return '–'
  const percent = share * 100
  const isPlain = (percent >= 1 && percent <= 99) || share === 0 || share === 1
  return `${isPlain ? Math.round(percent) : percent.toFixed(1)} %`
}

/** A table of the page. Columns are numbered from 0. */
export interface PageTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** The columns with long texts, which may wrap. */
  readonly text?: ReadonlyArray<number>
  /** The columns with short words. The remaining columns have numbers. */
  readonly words?: ReadonlyArray<number>
}

/** Formats a table. `name` is its name for screen readers. `linkOf` returns the address to which a row's first cell links. */
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
    const written = cells.map((cell, k) => {
      if (k > 0) return `<td${classOf(k)}>${escapeLines(cell)}</td>`
      const link = linkOf?.(i)
      const content =
        link === undefined ? escapeText(cell) : `<a href="${link}">${escapeText(cell)}</a>`
      return `<th scope="row"${classOf(k)}>${content}</th>`
    })
    return `<tr>${written.join('')}</tr>`
  })
  return formatTableFrame(
    name,
    `<thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody>`,
  )
}

/** Formats a list of names, each with a text. */
export const formatDetails = (lines: ReadonlyArray<ReadonlyArray<string>>): string =>
  `<dl>${lines.map(([name = '', text = '']) => `<div><dt>${escapeText(name)}</dt><dd>${escapeText(text)}</dd></div>`).join('')}</dl>`

/** Formats a table in an element that scrolls sideways and can be focused by keyboard. `content` is markup. */
export const formatTableFrame = (name: string, content: string): string =>
  `<div class="scroll" role="group" tabindex="0" aria-label="${escapeText(name)}"><table>${content}</table></div>`

/** Formats a count in at most five characters, such as `12k`. */
export const formatShortCount = (count: number): string =>
  count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`
