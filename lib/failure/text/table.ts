import { breakCommands, sanitize } from './harmless'

/** Matches a character that takes two columns of a terminal: East Asian wide and fullwidth forms, and emoji. */
const wide =
  /^(?![\uff61-\uffdc\uffe8-\uffee])[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\u3001-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6\u3000\p{Emoji_Presentation}]|\ufe0f/u

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Returns the number of columns that a grapheme takes, such as a letter with its accents. */
const widthOfCharacter = (character: string): number => {
  if (/^\p{M}/u.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** Measures how many columns of a terminal a text of one line takes. */
export const measureWidth = (text: string): number => {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += widthOfCharacter(segment)
  return width
}

/** Cuts a text to at most `width` columns. If something was cut, the last column is `…`. */
export const cutToWidth = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text
  let kept = ''
  let room = width - 1
  for (const { segment } of segmenter.segment(text)) {
    room -= widthOfCharacter(segment)
    if (room < 0) break
    kept += segment
  }
  return `${kept}…`
}

/** Makes a received text safe for a table cell: on one line, without invisible characters. */
export const cleanCell = (text: string): string =>
  breakCommands(sanitize(text.replaceAll('\t', ' ')))

/**
 * Formats a table for a terminal, without a final newline. The first `words` columns are aligned left; the rest hold
 * numbers and are aligned right.
 */
export const alignTable = (
  words: number,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string => {
  const lines = [columns, ...rows].map((cells) =>
    cells.map((cell) => {
      const text = cleanCell(cell)
      return { text, width: measureWidth(text) }
    }),
  )
  const widths = columns.map((_, k) =>
    lines.reduce((most, cells) => Math.max(most, cells[k]?.width ?? 0), 0),
  )
  return lines
    .map((cells) =>
      cells
        .map(({ text, width }, k) => {
          const fill = ' '.repeat((widths[k] as number) - width)
          return k < words ? text + fill : fill + text
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Formats a count with its noun, and with a verb if you pass its two forms: `1 row`, `3 rows`, `1 row lacks`, `3 rows
 * lack`.
 */
export const formatCount = (
  count: number,
  noun: string,
  ...[singular, plural]: [] | [singular: string, plural: string]
): string => {
  const verb = count === 1 ? singular : plural
  return `${count} ${noun}${count === 1 ? '' : 's'}${verb === undefined ? '' : ` ${verb}`}`
}
