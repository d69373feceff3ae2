import { lexer, type Token, type Tokens } from 'marked'
import { noBreakSpace, type TextRow, wrap, wrapColumns } from '../text/wrap'

/**
 * Formats a topic for a terminal: paragraphs and lists are wrapped at `width` columns, tables become aligned rows, and code
 * stays as it is. Comments, which mark examples for tests, are left out. `emphasize` is applied to headings. The text has no
 * final newline.
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

/** Formats a block as lines. A block of a type that is not listed here, such as an HTML comment, has no lines. */
const renderBlock = (
  block: Token,
  width: number,
  emphasize: (heading: string) => string,
): ReadonlyArray<string> => {
  switch (block.type) {
    case 'heading':
      return wrap(formatInline(block.tokens ?? []), width).map(emphasize)
    case 'paragraph':
      return wrap(formatInline(block.tokens ?? []), width)
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

/** Formats the items of a list, with an empty line between them if the Markdown has one. */
const renderList = (
  { items, ordered, loose }: Tokens.List,
  width: number,
  emphasize: (heading: string) => string,
): ReadonlyArray<string> => {
  const lines: string[] = []
  for (const [index, item] of items.entries()) {
    const marker = ordered ? `${index + 1}. ` : '* '
    if (loose && index > 0) lines.push('')
    const itemLines = renderItem(item, loose, width - marker.length, emphasize)
    for (const [lineIndex, line] of itemLines.entries()) {
      const indent = lineIndex === 0 ? marker : ' '.repeat(marker.length)
      lines.push(`${indent}${line}`.trimEnd())
    }
  }
  return lines
}

/** Formats the blocks of a list item, without its marker: `* ` or `1. `. */
const renderItem = (
  item: Tokens.ListItem,
  loose: boolean,
  width: number,
  emphasize: (heading: string) => string,
): ReadonlyArray<string> => {
  const lines: string[] = []
  for (const block of item.tokens) {
    const blockLines =
      block.type === 'text'
        ? wrap(formatInline((block as Tokens.Text).tokens ?? [block]), width)
        : renderBlock(block, width, emphasize)
    if (loose && lines.length > 0 && blockLines.length > 0) lines.push('')
    lines.push(...blockLines)
  }
  return lines
}

/** The minimum width of a page, in columns, on which a table of three or more columns stays a table. */
const minTableWidth = 80

/** The number of spaces before each column of a table. */
const columnGap = 2

/**
 * Formats a table of three or more columns as a table, if its columns fit. Otherwise formats two columns: the first cell of
 * each row, and its other cells as one text.
 */
const renderTable = ({ header, rows }: Tokens.Table, width: number): ReadonlyArray<string> => {
  const titles = header.map((cell) => formatInline(cell.tokens))
  const cells = rows.map((row) => row.map((cell) => formatInline(cell.tokens)))
  const mayStayTable = titles.length > 2 && width >= minTableWidth
  const columnWidths = mayStayTable ? fitColumns([titles, ...cells], width) : undefined
  if (columnWidths !== undefined)
    return [titles, ...cells].flatMap((row) => renderRow(row, columnWidths))
  const textRows = cells.map((row) => describeTableRow(titles, row))
  return wrapColumns(textRows, width)
}

/** Formats a row of a table, whose cells are wrapped to the widths of their columns. */
const renderRow = (
  row: ReadonlyArray<string>,
  columnWidths: ReadonlyArray<number>,
): ReadonlyArray<string> => {
  const cells = columnWidths.map((width, column) => wrap(row[column] ?? '', width))
  const height = Math.max(...cells.map(({ length }) => length))
  const gap = ' '.repeat(columnGap)
  return Array.from({ length: height }, (_, lineIndex) => {
    const texts = cells.map(
      (lines, column) => gap + (lines[lineIndex] ?? '').padEnd(columnWidths[column] ?? 0),
    )
    return texts.join('').trimEnd()
  })
}

/**
 * Returns the widths of columns that together fill `width`, or `undefined` if their longest words do not fit. Each column is at
 * least as wide as its longest word. The remaining width goes, one character at a time, to the column that is furthest from the
 * width of its longest line.
 */
const fitColumns = (
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
): ReadonlyArray<number> | undefined => {
  const columnCount = rows[0]?.length ?? 0
  const measureLongest = (column: number, separator: RegExp | string): number => {
    const pieces = rows.flatMap((row) => (row[column] ?? '').split(separator))
    return Math.max(...pieces.map(({ length }) => length))
  }
  const columns = Array.from({ length: columnCount }, (_, column) => column)
  const unwrappedWidths = columns.map((column) => measureLongest(column, '\n'))
  const widths = columns.map((column) => measureLongest(column, /[ \n]/))
  const usedWidth = columnGap * columnCount + widths.reduce((sum, used) => sum + used, 0)
  if (usedWidth > width) return undefined
  for (let remaining = width - usedWidth; remaining > 0; remaining -= 1) {
    const missingWidths = widths.map((used, column) => (unwrappedWidths[column] ?? 0) - used)
    const columnToWiden = missingWidths.indexOf(Math.max(...missingWidths))
    widths[columnToWiden] = (widths[columnToWiden] ?? 0) + 1
  }
  return widths
}

/** Returns the first cell of a row, and its other cells as one text. If there are several, each has its title: `Kind: usage`. */
const describeTableRow = (titles: ReadonlyArray<string>, row: ReadonlyArray<string>): TextRow => {
  const [first = '', ...otherCells] = row
  const texts: string[] = []
  for (const [index, text] of otherCells.entries()) {
    // The first title is that of the first cell.
    const title = otherCells.length > 1 ? (titles[index + 1] ?? '') : ''
    if (text !== '') texts.push(title === '' ? text : `${title}: ${text}`)
  }
  return [first, texts.join('; ')]
}

/** Formats inline Markdown as plain text: code and emphasis without their marks, a link with its address in parentheses. */
const formatInline = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map((token) => {
      switch (token.type) {
        case 'link':
          return formatLink(token as Tokens.Link)
        case 'strong':
        case 'em':
          return formatInline(token.tokens ?? [])
        case 'codespan':
          return keepShortCodeTogether((token as Tokens.Codespan).text)
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

/** The maximum length of code that is not broken over two lines, in characters. */
const maxUnbrokenLength = 30

const keepShortCodeTogether = (code: string): string =>
  code.length > maxUnbrokenLength ? code : code.replaceAll(' ', noBreakSpace)

const formatLink = ({ tokens, href }: Tokens.Link): string => {
  const text = formatInline(tokens)
  return /^https?:/.test(href) && href !== text ? `${text} (${href})` : text
}
