import { MarkdownBlocks } from './markdown-blocks'
import { trimBlanks } from './markdown-line'

/** An ATX heading of a Markdown document. D31 */
export interface Heading {
  readonly level: number
  /** The heading line without surrounding blanks. */
  readonly text: string
  /** Where its line starts. */
  readonly start: number
  /** Where the line before it ends, its line ending left out. */
  readonly before: number
}

const lineEnd = /\r\n|\n|\r/g

/** The headings of `markdown` in document order. */
export const headings = (markdown: string): ReadonlyArray<Heading> => {
  const found: Heading[] = []
  const blocks = new MarkdownBlocks()
  let before = 0
  let start = markdown.startsWith('\ufeff') ? 1 : 0
  const line = (end: number): void => {
    const text = markdown.slice(start, end)
    const level = blocks.next(text)
    if (level > 0) found.push({ level, text: trimBlanks(text), start, before })
  }
  for (const match of markdown.matchAll(lineEnd)) {
    line(match.index)
    before = match.index
    start = match.index + match[0].length
  }
  line(markdown.length)
  return found
}

/**
 * The section under `heading`: the lines from the first heading line equal to it to the one
 * before the next heading of the same or a higher level; `undefined` when no heading matches.
 * spec: `spec_heading`, D31
 */
export const section = (markdown: string, heading: string): string | undefined => {
  const all = headings(markdown)
  const first = all.findIndex((h) => h.text === heading)
  const from = all[first]
  if (from === undefined) return undefined
  const next = all.slice(first + 1).find((h) => h.level <= from.level)
  return markdown.slice(from.start, next?.before ?? markdown.length)
}
