import { sanitize } from '../../text/harmless'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/**
 * Escapes a text for HTML and SVG, in elements and quoted attributes, and puts it on one line. U+FFFE and U+FFFF, which
 * XML does not allow, become U+FFFD.
 */
export const escapeText = (text: string): string =>
  sanitize(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] as string)

/** Writes a coordinate with at most two decimals. */
export const formatCoordinate = (value: number): string => String(Math.round(value * 100) / 100)

/** Writes a figure for a table, with four significant digits; `–` for null. */
export const formatCell = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)))
}
