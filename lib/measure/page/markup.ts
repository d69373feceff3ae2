import { sanitize } from '../../text/harmless'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Text that stays text in HTML and SVG, in elements and quoted attributes, on one line. */
export const escaped = (text: string): string =>
  sanitize(text).replace(/[&<>"]/g, (character) => entities[character] as string)

/** A number as coordinates have it: two decimals at most. */
export const short = (value: number): string => String(Math.round(value * 100) / 100)

/** A figure as tables of the page have it. */
export const shown = (value: number | null): string => {
  if (value === null) return '–'
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)))
}
