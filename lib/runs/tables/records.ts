import { type FindLineEnd, LineSplitter } from '../record/lines'

/** The characters that divide a table. */
export interface TableSyntax {
  /** The character between two cells, in ASCII. */
  readonly delimiter: string
  /** `false` if a quote is an ordinary character: the flag `--no-quotes`. */
  readonly hasQuotes: boolean
}

/**
 * Creates a splitter of table records. A record ends at a newline, a carriage return, or both, outside quotes. A quote opens a cell only
 * at its start. Does not validate the records: `splitCells` does that. `delimiters` are characters in ASCII that end a cell.
 */
export const createRecordSplitter = (
  maxBytes: number,
  { delimiters, hasQuotes }: { readonly delimiters: string; readonly hasQuotes: boolean },
): LineSplitter => new LineSplitter(maxBytes, createRecordEndFinder(delimiters, hasQuotes))

/** Creates a splitter of lines that end in a newline, a carriage return, or both. */
export const createAnyLineSplitter = (maxBytes: number): LineSplitter =>
  createRecordSplitter(maxBytes, { delimiters: '', hasQuotes: false })

/** The kinds of bytes that a splitter distinguishes. Each is a column of the table below. */
const other = 0
const quote = 1
const delimiter = 2
const newline = 3
const carriageReturn = 4
const kindCount = 5

/**
 * The positions in a record, each a row of the table below: the start of a cell, the start of a record after a carriage return, a cell
 * without quotes, a quoted cell, a quoted cell after a carriage return, and a cell after a quote that may close it.
 */
const start = 0
const startAfterReturn = 1
const unquoted = 2
const quoted = 3
const quotedAfterReturn = 4
const closed = 5

/** These are added to the next position: the byte ends the record, or it is a line break inside quotes. */
const endsRecord = 8
const breaksLine = 16
const positionMask = 7

/** The next position by position and kind of byte. A newline after a carriage return belongs to the same line break. */
const steps = Uint8Array.of(
  ...[unquoted, quoted, start, start + endsRecord, startAfterReturn + endsRecord],
  ...[unquoted, quoted, start, start, startAfterReturn + endsRecord],
  ...[unquoted, unquoted, start, start + endsRecord, startAfterReturn + endsRecord],
  ...[quoted, closed, quoted, quoted + breaksLine, quotedAfterReturn + breaksLine],
  ...[quoted, closed, quoted, quoted, quotedAfterReturn + breaksLine],
  ...[unquoted, quoted, start, start + endsRecord, startAfterReturn + endsRecord],
)

/** Creates a function that finds the end of a record. It remembers the position at the end of the chunk before. */
const createRecordEndFinder = (delimiters: string, hasQuotes: boolean): FindLineEnd => {
  const kinds = new Uint8Array(256).fill(other)
  for (const byte of Buffer.from(delimiters)) kinds[byte] = delimiter
  if (hasQuotes) kinds['"'.charCodeAt(0)] = quote
  kinds['\n'.charCodeAt(0)] = newline
  kinds['\r'.charCodeAt(0)] = carriageReturn
  let position = start
  return (chunk, from) => {
    const skipsFirst = position === startAfterReturn && kinds[chunk[from] as number] === newline
    let innerNewlines = 0
    for (let index = from; index < chunk.length; index++) {
      const kind = kinds[chunk[index] as number] as number
      const step = steps[position * kindCount + kind] as number
      position = step & positionMask
      if (step < endsRecord) continue
      if (step >= breaksLine) innerNewlines += 1
      else return { skipsFirst, index, innerNewlines }
    }
    return { skipsFirst, index: undefined, innerNewlines }
  }
}
