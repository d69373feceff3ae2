/** A space that lines are not broken at; `wrap` prints it as a plain one. */
export const fixedSpace = '\u00a0'

/** Lines of at most `width` columns; a word longer than that stays whole. */
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
export type Row = readonly [left: string, right: string]

/** Two columns within `width`; a left part too wide for its column stands on a line of its own. */
export const columns = (rows: ReadonlyArray<Row>, width: number): ReadonlyArray<string> => {
  const widest = Math.max(0, ...rows.map(([left]) => left.length).filter((n) => n <= maxLeft))
  const indent = ' '.repeat(widest + 4)
  return rows.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, width - indent.length)
    const head =
      left.length > widest
        ? [`  ${left}`, indent + first]
        : [`  ${left.padEnd(widest)}  ${first}`.trimEnd()]
    return [...head, ...rest.map((line) => indent + line)]
  })
}

const maxLeft = 26
