/** A space at which `wrap` does not break lines. It is printed as a normal one. */
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
  const all = line === '' ? lines : [...lines, line]
  return all.map((each) => each.replaceAll(fixedSpace, ' '))
}

/** A row of a two-column list. */
export type TextRow = readonly [left: string, right: string]

/**
 * Writes rows as two columns that are `width` characters wide together. A left part that is too long gets its own
 * line.
 */
export const wrapColumns = (rows: ReadonlyArray<TextRow>, width: number): ReadonlyArray<string> => {
  const widest = Math.max(0, ...rows.map(([left]) => left.length).filter((n) => n <= maxLeft))
  const isNarrow = width - widest - 4 < minRight
  const indent = ' '.repeat(isNarrow ? 6 : widest + 4)
  return rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, width - indent.length)
    const head =
      isNarrow || left.length > widest
        ? [
            ...wrapLeft(isNarrow ? left.trimStart() : left, width - 2).map((line) => `  ${line}`),
            ...(first === '' ? [] : [indent + first]),
          ]
        : [`  ${left.padEnd(widest)}  ${first}`.trimEnd()]
    return [...head, ...rest.map((line) => indent + line)]
  })
}

/** Wraps a left part. If it fits on one line, it keeps its leading blanks, which align flags. */
const wrapLeft = (text: string, width: number): ReadonlyArray<string> =>
  text.length <= width ? [text] : wrap(text, width)

const maxLeft = 26

/** The minimum width of the right column. If there is less room, the right part goes below the left one. */
const minRight = 30

/** Returns the width of texts for people, in columns: `COLUMNS` if it is set, else the terminal's width, else 80. */
export const findWidth = (
  output: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number => (/^[1-9]\d{0,3}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : output.columns) ?? 80
