import { escapeCiCommands, sanitize } from './sanitize'

/**
 * Matches anything that could become a link, an image, HTML, or a mention of a person or an issue, in CommonMark, in
 * GitHub's extensions (which link bare addresses), or in formulas that some pages render.
 */
const active = /[[\]<>&`\\@]|:\/\/|www\.|#\d|\bgh-\d/i

/** Formats a received text as Markdown on one line. Words that could become links, HTML or mentions become code. */
export const formatInertMarkdown = (text: string): string =>
  escapeCiCommands(sanitize(joinLines(text)))
    .split(' ')
    .map((word) => (active.test(word) ? formatCodeSpan(word) : word))
    .join(' ')

/** Formats Markdown from the user's files on one line, with invisible characters escaped. */
export const formatMarkdownLine = (markdown: string): string => sanitize(joinLines(markdown))

/** Formats a Markdown table, without a final newline. The cells are Markdown. */
export const formatMarkdownTable = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): string =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(formatCell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const formatCell = (markdown: string): string => formatMarkdownLine(markdown).replaceAll('|', '\\|')

/** Replaces each line break, with the blanks around it, by one space. */
export const joinLines = (text: string): string =>
  /[\r\n]/.test(text)
    ? text
        .split(/[\r\n]+/)
        .map((line, index, { length }) => trimLine(line, index > 0, index < length - 1))
        .filter((line, index, { length }) => line !== '' || index === 0 || index === length - 1)
        .join(' ')
    : text

const trimLine = (line: string, start: boolean, end: boolean): string => {
  const from = start ? line.trimStart() : line
  return end ? from.trimEnd() : from
}

/** Formats a code span. CommonMark ends it only at a run of backticks as long as the first, so it uses a longer one. */
const formatCodeSpan = (text: string): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${marks}${space}${text}${space}${marks}`
}
