import { measureWidth } from './width'

/** A space at which `wrap` does not break lines. `wrap` replaces it by a normal one. */
export const noBreakSpace = '\u00a0'

/**
 * Breaks a text into lines of at most `width` columns. A longer word is not broken. The first line has `firstWidth` columns, which are
 * more than `width` if the other lines have a hanging indent.
 */
export const wrap = (
  text: string,
  width: number,
  firstWidth: number = width,
): ReadonlyArray<string> => {
  const lines: string[] = []
  let line = ''
  let lineWidth = 0
  const words = text.split(/[ \n]+/).filter((word) => word !== '')
  for (const word of words) {
    const wordWidth = measureWidth(word)
    const widthWithWord = line === '' ? wordWidth : lineWidth + 1 + wordWidth
    if (line === '') line = word
    else if (widthWithWord <= (lines.length === 0 ? firstWidth : width)) line += ` ${word}`
    else {
      lines.push(line)
      line = word
      lineWidth = wordWidth
      continue
    }
    lineWidth = widthWithWord
  }
  if (line !== '') lines.push(line)
  return lines.map((finished) => finished.replaceAll(noBreakSpace, ' '))
}

/** A row of a two-column list: the texts of the left and the right column. */
export type TextRow = readonly [left: string, right: string]

/** The maximum width of the left column in characters. A longer left text has lines of its own. */
const maxLeftWidth = 26

/** The minimum width of the right column. If there is less room, every right text goes below its left text. */
const minRightWidth = 30

/** Two spaces before each of the two columns. */
const marginsWidth = 4

/** The indentation of the right texts that go below their left texts because there is too little room. */
const narrowIndent = 6

/**
 * Formats rows as two columns that are `width` characters wide together. A left text that is longer than `maxLeftWidth` is on a line
 * before its right text. If the right column would be narrower than `minRightWidth`, every right text is below its left text.
 */
export const wrapColumns = (rows: ReadonlyArray<TextRow>, width: number): ReadonlyArray<string> => {
  const leftWidths = rows.map(([left]) => left.length).filter((length) => length <= maxLeftWidth)
  const leftWidth = Math.max(0, ...leftWidths)
  const isNarrow = width - leftWidth - marginsWidth < minRightWidth
  const indent = ' '.repeat(isNarrow ? narrowIndent : leftWidth + marginsWidth)
  return rows.flatMap(([left, right]) => {
    const rightLines = wrap(right, width - indent.length)
    if (!isNarrow && left.length <= maxLeftWidth) {
      const [first = '', ...others] = rightLines
      return [
        `  ${left.padEnd(leftWidth)}  ${first}`.trimEnd(),
        ...others.map((line) => indent + line),
      ]
    }
    // The spaces that align flags in a column are useless if every flag has a line of its own.
    const leftLines = wrapLeft(isNarrow ? left.trimStart() : left, width - 2)
    return [...leftLines.map((line) => `  ${line}`), ...rightLines.map((line) => indent + line)]
  })
}

/**
 * Breaks a left text into lines if it is too long for one. A shorter one stays as it is: leading spaces align a flag without a short
 * form with those that have one, and `wrap` would remove the spaces.
 */
const wrapLeft = (text: string, width: number): ReadonlyArray<string> =>
  text.length <= width ? [text] : wrap(text, width)

/** Matches a whole number from 1 to 9999. */
const columnCountPattern = /^[1-9]\d{0,3}$/

/** Returns the width of help and messages in columns: a valid `COLUMNS`, else the terminal's width, else 80. */
export const findWidth = (
  output: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number => {
  const columns = env.COLUMNS ?? ''
  if (columnCountPattern.test(columns)) return Number(columns)
  return output.columns ?? 80
}
