/** A space at which `wrap` does not break lines. `wrap` replaces it by a normal one. */
export const fixedSpace = '\u00a0'

/** Breaks a text into lines of at most `width` characters. A longer word is not broken. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/[ \n]+/).filter((part) => part !== '')) {
    if (line === '') line = word
    else if (line.length + 1 + word.length <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  if (line !== '') lines.push(line)
  return lines.map((each) => each.replaceAll(fixedSpace, ' '))
}

/** A row of a two-column list. */
export type TextRow = readonly [left: string, right: string]

/**
 * Formats rows as two columns that are `width` characters wide together. A left part of more than 26 characters is on a line
 * before its right part.
 */
export const wrapColumns = (rows: ReadonlyArray<TextRow>, width: number): ReadonlyArray<string> => {
  const leftWidths = rows.map(([left]) => left.length).filter((length) => length <= maxLeft)
  const leftWidth = Math.max(0, ...leftWidths)
  const isNarrow = width - leftWidth - margins < minRight
  const indent = ' '.repeat(isNarrow ? narrowIndent : leftWidth + margins)
  return rows.flatMap(([left, right]) => {
    const lines = wrap(right, width - indent.length)
    if (!isNarrow && left.length <= leftWidth) {
      const [first = '', ...others] = lines
      return [
        `  ${left.padEnd(leftWidth)}  ${first}`.trimEnd(),
        ...others.map((line) => indent + line),
      ]
    }
    const leftLines = wrapLeft(isNarrow ? left.trimStart() : left, width - 2)
    return [...leftLines.map((line) => `  ${line}`), ...lines.map((line) => indent + line)]
  })
}

/** Wraps a left part, unless it fits on one line: `wrap` would remove its leading blanks, which align flags. */
const wrapLeft = (text: string, width: number): ReadonlyArray<string> =>
  text.length <= width ? [text] : wrap(text, width)

/** The maximum width of the left column. */
const maxLeft = 26

/** The width of the two blanks before each column. */
const margins = 4

/** The indentation of a right part below its left one. */
const narrowIndent = 6

/** The minimum width of the right column. If there is less room, the right part goes below the left one. */
const minRight = 30

/** Returns the width of help and messages in columns: `COLUMNS` if it is set, else the terminal's width, else 80. */
export const findWidth = (
  output: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number => (/^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : output.columns) ?? 80
