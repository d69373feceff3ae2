import { type HtmlEnd, htmlBlock } from './markdown-html'
import { MarkdownLine, trimBlanks } from './markdown-line'

/** A block quote, or a list item whose content starts `indent` columns in. */
type Container =
  | { readonly kind: 'quote' }
  | { readonly kind: 'item'; readonly indent: number; empty: boolean }

/** The innermost open block that holds text. */
type Leaf =
  | { readonly kind: 'none' | 'paragraph' }
  | { readonly kind: 'fence'; readonly marker: string }
  | { readonly kind: 'html'; readonly end: HtmlEnd }

const none: Leaf = { kind: 'none' }
const paragraph: Leaf = { kind: 'paragraph' }

/**
 * Follows the block structure of a CommonMark document line by line, as far as it
 * decides which lines are ATX headings of the document itself: fences, HTML blocks,
 * block quotes and lists hide theirs (D31).
 */
export class MarkdownBlocks {
  #containers: Container[] = []
  #leaf: Leaf = none

  /** Takes the next line, without its line ending; tells the heading's level, 0 for none. */
  next(text: string): number {
    const line = new MarkdownLine(text)
    const matched = this.#matchContainers(line)
    const all = matched === this.#containers.length
    if (all && this.#continueLeaf(line)) return 0
    return this.#open(line, matched)
  }

  #matchContainers(line: MarkdownLine): number {
    for (const [i, container] of this.#containers.entries()) {
      if (container.kind === 'quote') {
        if (!enterQuote(line)) return i
      } else if (line.blank) {
        if (container.empty) return i
      } else if (line.indent >= container.indent) {
        line.take(container.indent)
      } else return i
    }
    return this.#containers.length
  }

  /** Whether the line belongs to the open fence or HTML block. */
  #continueLeaf(line: MarkdownLine): boolean {
    const leaf = this.#leaf
    if (leaf.kind === 'fence') {
      if (line.indent < 4 && closesFence(line.rest, leaf.marker)) this.#leaf = none
      return true
    }
    if (leaf.kind === 'html') {
      if (leaf.end === 'blank' ? line.blank : leaf.end.test(line.rest)) this.#leaf = none
      return true
    }
    return false
  }

  /** Opens the blocks that start on this line below the first `depth` containers. */
  #open(line: MarkdownLine, depth: number): number {
    let lazy = depth < this.#containers.length && this.#leaf.kind === 'paragraph'
    let inParagraph = depth === this.#containers.length && this.#leaf.kind === 'paragraph'
    let open = depth
    const close = (): void => {
      this.#containers.length = open
      this.#leaf = none
      lazy = false
      inParagraph = false
      for (const c of this.#containers) if (c.kind === 'item') c.empty = false
    }
    for (;;) {
      if (line.blank) {
        if (open < this.#containers.length) this.#containers.length = open
        this.#leaf = none
        return 0
      }
      const { rest } = line
      if (line.indent >= 4) {
        if (!lazy && !inParagraph) close()
        return 0
      }
      if (enterQuote(line)) {
        close()
        this.#containers.push({ kind: 'quote' })
        open += 1
        continue
      }
      const level = headingLevel(rest)
      if (level > 0) {
        close()
        return open === 0 ? level : 0
      }
      const marker = fenceMarker(rest)
      if (marker !== undefined) {
        close()
        this.#leaf = { kind: 'fence', marker }
        return 0
      }
      const end = htmlBlock(rest, lazy || inParagraph)
      if (end !== undefined) {
        close()
        this.#leaf = end !== 'blank' && end.test(rest) ? none : { kind: 'html', end }
        return 0
      }
      if ((inParagraph && /^(?:=+|-+)[ \t]*$/.test(rest)) || isThematicBreak(rest)) {
        close()
        return 0
      }
      const indent = enterItem(line, inParagraph)
      if (indent === undefined) break
      close()
      this.#containers.push({ kind: 'item', indent, empty: true })
      open += 1
    }
    if (!lazy && !inParagraph) {
      close()
      this.#leaf = paragraph
    }
    return 0
  }
}

const enterQuote = (line: MarkdownLine): boolean => {
  if (line.indent > 3 || !line.rest.startsWith('>')) return false
  line.skip(1)
  line.take(1)
  return true
}

const headingLevel = (rest: string): number => /^(#{1,6})(?:[ \t]|$)/.exec(rest)?.[1]?.length ?? 0

const fenceMarker = (rest: string): string | undefined =>
  /^(?:(`{3,})[^`]*$|(~{3,}))/.exec(rest)?.slice(1).find(Boolean)

const closesFence = (rest: string, marker: string): boolean => {
  const text = trimBlanks(rest)
  return text.length >= marker.length && text === (marker[0] ?? '').repeat(text.length)
}

const isThematicBreak = (rest: string): boolean =>
  /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/.test(rest)

/** Enters a list item and tells how far its content is indented, from the item's own line start. */
const enterItem = (line: MarkdownLine, inParagraph: boolean): number | undefined => {
  const { indent, rest } = line
  const match = /^(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(rest)
  if (match === null) return undefined
  const [marker, number] = match
  const empty = rest.slice(marker.length).trim() === ''
  if (inParagraph && (empty || (number !== undefined && Number(number) !== 1))) return undefined
  line.skip(marker.length)
  const padding = line.indent
  const own = empty || padding > 4 ? 1 : padding
  line.take(own)
  return indent + marker.length + own
}
