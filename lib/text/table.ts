import { escapeCiCommands, sanitize } from './sanitize'

/** The scripts whose characters take two columns, except for halfwidth forms. */
const eastAsianScripts =
  '\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\p{Script=Yi}'

/** East Asian punctuation and fullwidth forms. */
const eastAsianSigns = '\\u3000-\\u303e\\u30fb\\u30fc\\uff01-\\uff60\\uffe0-\\uffe6'

/** The halfwidth forms of East Asian characters. Many belong to these scripts, but they take one column. */
const halfwidthForms = '\\uff61-\\uffdc\\uffe8-\\uffee'

/**
 * Matches a grapheme that takes two columns of a terminal: an East Asian wide character or an emoji. `\ufe0f` selects the emoji form of the
 * character before it.
 */
const wideGraphemePattern = new RegExp(
  `^(?![${halfwidthForms}])[${eastAsianScripts}${eastAsianSigns}\\p{Emoji_Presentation}]|\\ufe0f`,
  'u',
)

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Measures how many columns of a terminal a grapheme takes, such as a letter with its accents. An accent by itself takes none. */
const measureGrapheme = (grapheme: string): number => {
  if (/^\p{M}/u.test(grapheme)) return 0
  return wideGraphemePattern.test(grapheme) ? 2 : 1
}

/** Measures how many columns of a terminal a text of one line takes. */
export const measureWidth = (text: string): number => {
  const isPrintableAscii = /^[\x20-\x7e]*$/.test(text)
  if (isPrintableAscii) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += measureGrapheme(segment)
  return width
}

/** Cuts a text to at most `width` columns of a terminal. A text that was cut ends with `…`. */
export const cutToWidth = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text
  let prefix = ''
  // The `…` takes one column.
  let remainingColumns = width - 1
  for (const { segment } of segmenter.segment(text)) {
    remainingColumns -= measureGrapheme(segment)
    if (remainingColumns < 0) break
    prefix += segment
  }
  return `${prefix}…`
}

/** Makes a received text safe for a table cell: on one line, without invisible characters. */
export const cleanCell = (text: string): string =>
  escapeCiCommands(sanitize(text.replaceAll('\t', ' ')))

/**
 * Formats a table for a terminal, without a final newline. The first `textColumnCount` columns are aligned left. The others, which
 * have numbers, are aligned right.
 */
export const alignTable = (
  textColumnCount: number,
  headers: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string => {
  const lines = [headers, ...rows].map((cells) => cells.map(cleanCell))
  const widths = headers.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, measureWidth(line[column] ?? '')), 0),
  )
  const alignCell = (cell: string, column: number): string => {
    const padding = ' '.repeat((widths[column] ?? 0) - measureWidth(cell))
    return column < textColumnCount ? cell + padding : padding + cell
  }
  return lines.map((cells) => cells.map(alignCell).join('  ').trimEnd()).join('\n')
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
