import MarkdownIt from 'markdown-it'

/** An ATX heading (`## Title`) of a Markdown document. Offsets are in UTF-16 units of its text. */
interface Heading {
  readonly level: number
  /** The heading line with its `#` marks, trimmed. */
  readonly text: string
  /** The offset of the heading line. */
  readonly start: number
  /** The offset where the previous line ends, before its line break. A section before this heading ends here. */
  readonly previousLineEnd: number
}

/** Parses only blocks, because a heading cannot be inside a paragraph. `maxNesting` bounds the recursion for quotes and lists. */
const parser = new MarkdownIt('commonmark', { maxNesting: 1000 })
parser.core.ruler.disable('inline')

/** Finds the headings of a document, in order. Ignores headings inside quotes, lists and other blocks. */
export const findHeadings = (markdown: string): ReadonlyArray<Heading> => {
  // A byte order mark is not a part of the first line.
  const textStart = markdown.startsWith('\ufeff') ? 1 : 0
  const lines = splitLines(markdown, textStart)
  // The `level` of a token of markdown-it is the number of blocks around it.
  return parser
    .parse(markdown.slice(textStart), {})
    .flatMap(({ type, level: nesting, tag, markup, map }) => {
      const isAtxHeading = type === 'heading_open' && nesting === 0 && markup.startsWith('#')
      // `map` has the first line of the block, and the line after its last.
      const line = map ? lines[map[0]] : undefined
      if (!isAtxHeading || line === undefined) return []
      const text = trimSpacesAndTabs(markdown.slice(line.start, line.end))
      return [
        {
          // The tag is `h1` to `h6`.
          level: Number(tag.slice(1)),
          text,
          start: line.start,
          previousLineEnd: line.previousLineEnd,
        },
      ]
    })
}

/** Trims spaces and tabs. A regular expression would take quadratic time for a line with many of them inside. */
const trimSpacesAndTabs = (text: string): string => {
  let start = 0
  let end = text.length
  while (text[start] === ' ' || text[start] === '\t') start += 1
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(start, end)
}

interface Line {
  readonly start: number
  /** The offset where the line ends, before its line break. */
  readonly end: number
  /** The `end` of the previous line. */
  readonly previousLineEnd: number
}

/** Divides the document into lines. The first one begins at `textStart`. */
const splitLines = (markdown: string, textStart: number): ReadonlyArray<Line> => {
  const lines: Line[] = []
  let previousLineEnd = 0
  let start = textStart
  for (const { index, 0: ending } of markdown.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: index, previousLineEnd })
    previousLineEnd = index
    start = index + ending.length
  }
  return [...lines, { start, end: markdown.length, previousLineEnd }]
}

/**
 * Finds the section of a heading. It begins with the first heading line that equals `heading`, and ends before the next heading
 * of the same or a higher level. Returns `undefined` if no heading matches.
 */
export const findSection = (markdown: string, heading: string): string | undefined => {
  const headings = findHeadings(markdown)
  const index = headings.findIndex(({ text }) => text === heading)
  // `undefined` if the index is -1.
  const found = headings[index]
  if (found === undefined) return undefined
  const next = headings.slice(index + 1).find(({ level }) => level <= found.level)
  return markdown.slice(found.start, next?.previousLineEnd ?? markdown.length)
}
