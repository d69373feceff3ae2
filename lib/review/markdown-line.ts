/**
 * One line of Markdown, read column by column as CommonMark counts them: a tab
 * reaches to the next multiple of four and may be consumed in part.
 */
export class MarkdownLine {
  #offset = 0
  #column = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Columns of blanks before the next other character. */
  get indent(): number {
    let column = this.#column
    for (let i = this.#offset; i < this.#text.length; i++) {
      const c = this.#text[i]
      if (c === ' ') column += 1
      else if (c === '\t') column += 4 - (column % 4)
      else break
    }
    return column - this.#column
  }

  /** What follows the indent. */
  get rest(): string {
    let i = this.#offset
    while (this.#text[i] === ' ' || this.#text[i] === '\t') i += 1
    return this.#text.slice(i)
  }

  get blank(): boolean {
    return this.rest === ''
  }

  /** Skips the indent and `count` characters after it. */
  skip(count: number): void {
    this.take(this.indent)
    this.#offset += count
    this.#column += count
  }

  /** Skips up to `columns` columns of blanks. */
  take(columns: number): void {
    for (let left = columns; left > 0; ) {
      const c = this.#text[this.#offset]
      if (c !== ' ' && c !== '\t') return
      const width = c === ' ' ? 1 : 4 - (this.#column % 4)
      const taken = Math.min(width, left)
      this.#column += taken
      left -= taken
      if (taken === width) this.#offset += 1
    }
  }
}

/** `text` without the spaces and tabs around it. */
export const trimBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (text[start] === ' ' || text[start] === '\t') start += 1
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1
  return text.slice(start, end)
}
