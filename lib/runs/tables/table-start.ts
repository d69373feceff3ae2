import { bufferOf } from '../../codec/json/parse'
import type { InputLine } from '../record/lines'
import { createRecordSplitter, type TableSyntax } from './records'

/** The flags about the cells of a table. */
export interface TableFlags {
  /** The character of `--delimiter`; `undefined` finds it in the table. */
  readonly delimiter?: string | undefined
  /** `false` with `--no-quotes`. */
  readonly hasQuotes: boolean
}

/** The facts about a whole table that its start gives. */
export interface TableStart {
  readonly syntax: TableSyntax
  /** `true` if the first line is `sep=` and a delimiter, which Excel writes and reads. That line is not a row. */
  readonly hasSeparatorLine: boolean
  /** `true` if neither `--delimiter` nor that line names the delimiter. */
  readonly isDelimiterGuessed: boolean
}

/** The delimiters that svc tries. */
const candidateDelimiters = [',', ';', '\t'] as const

/** svc reads only about this much of a table to find the delimiter, even if the header is longer. */
const maxHeaderBytes = 1 << 20

/** The first line of a table for Excel, such as `sep=;`. It may be in quotes. */
const separatorLine = /^"?sep=([\t\x20-\x21\x23-\x7e])"?$/i

/** Finds the syntax of a table in its first records, which are fed to it in chunks. */
class TableStartFinder {
  private readonly splitter
  private separator: string | undefined

  constructor(private readonly flags: TableFlags) {
    const { delimiter, hasQuotes } = flags
    // Until the delimiter is known, a quote after any candidate opens a cell.
    const delimiters = delimiter ?? candidateDelimiters.join('')
    this.splitter = createRecordSplitter(maxHeaderBytes, { delimiters, hasQuotes })
  }

  /** Adds a chunk. Returns the syntax once the header is complete, and otherwise `undefined`. */
  add(chunk: Buffer): TableStart | undefined {
    return this.examine(this.splitter.split(chunk))
  }

  /** Call this at the end of the table, or if the header is longer than svc reads. */
  finish(): TableStart {
    return this.examine(this.splitter.finish()) ?? this.decide('')
  }

  private examine(records: Iterable<InputLine>): TableStart | undefined {
    for (const { number, bytes } of records) {
      const text = bytes.toString()
      const separator = number === 1 ? separatorLine.exec(text)?.[1] : undefined
      if (separator !== undefined) this.separator = separator
      else if (!this.isBlankRecord(text)) return this.decide(text)
    }
    return undefined
  }

  /** Returns `true` if all cells are empty. */
  private isBlankRecord(text: string): boolean {
    const { delimiter = this.separator } = this.flags
    const delimiters: ReadonlyArray<string> =
      delimiter === undefined ? candidateDelimiters : [delimiter]
    return [...text].every(
      (character) => delimiters.includes(character) || (this.flags.hasQuotes && character === '"'),
    )
  }

  private decide(header: string): TableStart {
    const { delimiter = this.separator, hasQuotes } = this.flags
    return {
      syntax: { delimiter: delimiter ?? guessDelimiter(header, hasQuotes), hasQuotes },
      hasSeparatorLine: this.separator !== undefined,
      isDelimiterGuessed: delimiter === undefined,
    }
  }
}

/** Guesses the delimiter: the candidate that occurs most often in the header, outside quotes. A comma if none does, or if two tie. */
const guessDelimiter = (header: string, hasQuotes: boolean): string => {
  const counts = new Map<string, number>(candidateDelimiters.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  for (const character of header) {
    if (hasQuotes && character === '"') isQuoted = !isQuoted
    const count = counts.get(character)
    if (!isQuoted && count !== undefined) counts.set(character, count + 1)
  }
  const maxCount = Math.max(...counts.values())
  const mostFrequent = candidateDelimiters.filter((delimiter) => counts.get(delimiter) === maxCount)
  const [delimiter] = mostFrequent
  return delimiter === undefined || mostFrequent.length > 1 ? ',' : delimiter
}

/** Finds the syntax of a table that is in memory. */
export const findTableStart = (bytes: Buffer, flags: TableFlags): TableStart => {
  const finder = new TableStartFinder(flags)
  return finder.add(bytes) ?? finder.finish()
}

/** Finds the syntax of a table that is read as a stream. Also returns the chunks of the whole table. */
export const readTableStart = async (
  chunks: AsyncIterator<Uint8Array>,
  flags: TableFlags,
): Promise<TableStart & { readonly chunks: AsyncGenerator<Uint8Array> }> => {
  const finder = new TableStartFinder(flags)
  const chunksRead: Uint8Array[] = []
  let bytesRead = 0
  let start: TableStart | undefined
  while (start === undefined && bytesRead < maxHeaderBytes) {
    const next = await chunks.next()
    if (next.done) break
    chunksRead.push(next.value)
    bytesRead += next.value.length
    start = finder.add(bufferOf(next.value))
  }
  return { ...(start ?? finder.finish()), chunks: prependChunks(chunksRead, chunks) }
}

/** Yields the chunks that were read, and then the remaining ones. */
async function* prependChunks(
  chunksRead: ReadonlyArray<Uint8Array>,
  remainingChunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksRead
    for (;;) {
      const next = await remainingChunks.next()
      if (next.done) return
      yield next.value
    }
  } finally {
    await remainingChunks.return?.()
  }
}
