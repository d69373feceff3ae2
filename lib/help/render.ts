import { lexer, type Token, type Tokens } from 'marked'
import { fixedSpace, type TextRow, wrap, wrapColumns } from '../failure/text/wrap'

/**
 * Lays out a topic for a terminal: paragraphs and lists wrapped at `width` columns, tables as rows of two columns,
 * code unchanged. Comments, which mark the examples that tests run, are left out. `emphasize` is applied to
 * headings. The text has no newline at its end.
 */
export const renderTopic = (
  markdown: string,
  width: number,
  emphasize: (heading: string) => string,
): string =>
  lexer(markdown)
    .map((block) => renderBlock(block, width, emphasize).join('\n'))
    .filter((text) => text !== '')
    .join('\n\n')

/** Lays out a block as lines. A block that only a browser shows has none. */
const renderBlock = (
  block: Token,
  width: number,
  emphasize: (heading: string) => string,
): ReadonlyArray<string> => {
  switch (block.type) {
    case 'heading':
      return wrap(writePlainText(block.tokens ?? []), width).map(emphasize)
    case 'paragraph':
      return wrap(writePlainText(block.tokens ?? []), width)
    case 'code':
      return (block as Tokens.Code).text
        .trimEnd()
        .split('\n')
        .map((line) => `    ${line}`.trimEnd())
    case 'list':
      return renderList(block as Tokens.List, width, emphasize)
    case 'table':
      return renderTable(block as Tokens.Table, width)
    default:
      return []
  }
}

/** Lays out the items of a list. There is an empty line between two items if there is one in the Markdown. */
const renderList = (
  { items, ordered, loose }: Tokens.List,
  width: number,
  emphasize: (heading: string) => string,
): ReadonlyArray<string> =>
  items.flatMap((item, index) => {
    const mark = ordered ? `${index + 1}. ` : '* '
    const parts = item.tokens.flatMap((part) => {
      const lines =
        part.type === 'text'
          ? wrap(writePlainText((part as Tokens.Text).tokens ?? [part]), width - mark.length)
          : renderBlock(part, width - mark.length, emphasize)
      return lines.length === 0 ? [] : [lines]
    })
    const lines = parts.flatMap((part, i) => (loose && i > 0 ? ['', ...part] : part))
    const indent = ' '.repeat(mark.length)
    return [
      ...(loose && index > 0 ? [''] : []),
      ...lines.map((line, i) => `${i === 0 ? mark : indent}${line}`.trimEnd()),
    ]
  })

/** The narrowest page, in columns, on which a table of three or more columns stays a table. */
const minTableWidth = 80

/** Lays out a table with its columns if they fit, else as two: the first cell of each row, and the others together. */
const renderTable = ({ header, rows }: Tokens.Table, width: number): ReadonlyArray<string> => {
  const titles = header.map((cell) => writePlainText(cell.tokens))
  const cells = rows.map((row) => row.map((cell) => writePlainText(cell.tokens)))
  const columns =
    titles.length > 2 && width >= minTableWidth ? fitColumns([titles, ...cells], width - 2) : []
  return columns.length === 0
    ? wrapColumns(
        cells.map((row) => describeRow(titles, row)),
        width,
      )
    : [titles, ...cells].flatMap((row) => renderRow(row, columns))
}

/** Lays out a row of a table, whose cells are wrapped. */
const renderRow = (
  row: ReadonlyArray<string>,
  columns: ReadonlyArray<number>,
): ReadonlyArray<string> => {
  const cells = columns.map((width, k) => wrap(row[k] ?? '', width))
  const height = Math.max(...cells.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, k) => `  ${(lines[line] ?? '').padEnd(columns[k] ?? 0)}`)
      .join('')
      .trimEnd(),
  )
}

/**
 * The widths of columns that share a line, with two blanks between them. Each is as wide as its longest word, and the rest
 * of the line goes to those that need it most. Empty if the longest words do not fit.
 */
const fitColumns = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
): ReadonlyArray<number> => {
  const count = rows[0]?.length ?? 0
  const lengthsOf = (k: number, split: RegExp | string) =>
    rows.flatMap((row) => (row[k] ?? '').split(split).map(({ length }) => length))
  const needed = Array.from({ length: count }, (_, k) => Math.max(...lengthsOf(k, '\n')))
  const columns = Array.from({ length: count }, (_, k) => Math.max(...lengthsOf(k, /[ \n]/)))
  let left = width - 2 * (count - 1) - columns.reduce((sum, one) => sum + one, 0)
  if (left < 0) return []
  for (; left > 0; left -= 1) {
    const lacks = columns.map((one, k) => (needed[k] ?? 0) - one)
    const neediest = lacks.indexOf(Math.max(...lacks))
    columns[neediest] = (columns[neediest] ?? 0) + 1
  }
  return columns
}

/** Returns the first cell of a row, and its other cells as one text. Each has its heading before it, unless there is only one. */
export const describeRow = (
  titles: ReadonlyArray<string>,
  [first = '', ...others]: ReadonlyArray<string>,
): TextRow => {
  const described = others.flatMap((text, i) => {
    const title = others.length > 1 ? titles[i + 1] : ''
    if (text === '') return []
    return title === '' ? [text] : [`${title}: ${text}`]
  })
  return [first, described.join('; ')]
}

/** Writes inline Markdown as plain text: code and emphasis without their marks, a link with its address behind it. */
const writePlainText = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      switch (token.type) {
        case 'link':
          return writeLink(token as Tokens.Link)
        case 'strong':
        case 'em':
          return writePlainText(token.tokens ?? [])
        case 'codespan':
          return keepTogether((token as Tokens.Codespan).text)
        case 'escape':
        case 'text':
          return (token as Tokens.Text).text
        case 'br':
          return ' '
        default:
          return ''
      }
    })
    .join('')

/** Code in a sentence is kept on one line up to this length, in characters. */
const maxTogether = 30

const keepTogether = (code: string): string =>
  code.length > maxTogether ? code : code.replaceAll(' ', fixedSpace)

const writeLink = ({ tokens, href }: Tokens.Link): string => {
  const text = writePlainText(tokens)
  return /^https?:/.test(href) && href !== text ? `${text} (${href})` : text
}
