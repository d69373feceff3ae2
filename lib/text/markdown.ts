import { escapeCiCommands, sanitize } from './sanitize'

/**
 * Matches anything that could become a link, an image, HTML, or a mention of a person or an issue, in CommonMark, in
 * GitHub's extensions (which link bare addresses), or in formulas that some pages render.
 */
const activeMarkdownPattern = /[[\]<>&`\\@]|:\/\/|www\.|#\d|\bgh-\d/i

/** Formats a received text as Markdown on one line. Words that could become links, HTML or mentions become code spans. */
export const formatInertMarkdown = (text: string): string =>
  escapeCiCommands(sanitize(joinLines(text)))
    .split(' ')
    .map((word) => (activeMarkdownPattern.test(word) ? formatCodeSpan(word) : word))
    .join(' ')

/** Formats Markdown from the user's files on one line, with invisible characters escaped. */
export const formatMarkdownLine = (markdown: string): string => sanitize(joinLines(markdown))

/** Formats a Markdown table, without a final newline. The cells are Markdown. The column names must not contain `|`. */
export const formatMarkdownTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(formatCell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const formatCell = (markdown: string): string => formatMarkdownLine(markdown).replaceAll('|', '\\|')

/** Replaces each line break, with the white space around it, by one space. */
export const joinLines = (text: string): string => {
  if (!/[\r\n]/.test(text)) return text
  const lines = text.split(/[\r\n]+/)
  const lastIndex = lines.length - 1
  const keptLines: string[] = []
  for (const [index, line] of lines.entries()) {
    const start = index > 0 ? line.trimStart() : line
    const trimmed = index < lastIndex ? start.trimEnd() : start
    // An empty first or last line stays, so that a line break at the start or the end of the text becomes a space too.
    if (trimmed !== '' || index === 0 || index === lastIndex) keptLines.push(trimmed)
  }
  return keptLines.join(' ')
}

/**
 * Formats a code span. In CommonMark, a code span ends at a run of as many backticks as it began with, so svc uses one more than the
 * longest run in the text has.
 */
const formatCodeSpan = (text: string): string => {
  const runLengths = [...text.matchAll(/`+/g)].map(([run]) => run.length)
  const delimiter = '`'.repeat(Math.max(0, ...runLengths) + 1)
  // CommonMark removes these spaces. Without them, a backtick at an end of the text would belong to the delimiter.
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${delimiter}${space}${text}${space}${delimiter}`
}
