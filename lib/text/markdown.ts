import { sanitize, withoutCommands } from './harmless'

/**
 * What can become a link, an image, HTML or a reference to a person or an issue, by CommonMark, by GitHub's
 * extensions (bare addresses among them) or in the formulas that some pages draw.
 */
const active = /[[\]<>&`\\@]|:\/\/|www\.|#\d|\bgh-\d/i

/**
 * A text of someone else's in Markdown, on one line: words that could become more than text are shown as code.
 * D59
 */
export const inertMarkdown = (text: string): string =>
  withoutCommands(sanitize(oneLine(text)))
    .split(' ')
    .map((word) => (active.test(word) ? code(word) : word))
    .join(' ')

/** Text with each line break, and the blanks around it, as one space. */
export const oneLine = (text: string): string =>
  /[\r\n]/.test(text)
    ? text
        .split(/[\r\n]+/)
        .map((line, index, { length }) => trimmed(line, index > 0, index < length - 1))
        .filter((line, index, { length }) => line !== '' || index === 0 || index === length - 1)
        .join(' ')
    : text

const trimmed = (line: string, start: boolean, end: boolean): string => {
  const from = start ? line.trimStart() : line
  return end ? from.trimEnd() : from
}

/** A code span. Its marks are longer than any of its own, and blanks keep the two apart. */
const code = (text: string): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const marks = '`'.repeat(longest + 1)
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${marks}${space}${text}${space}${marks}`
}
