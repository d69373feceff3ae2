import { isUtf8 } from 'node:buffer'
import { bufferOf, measureByteOrderMark } from '../../codec/json/parse'
import type { Runtime } from '../../runtime/runtime'

/** An input that is read as a stream. */
export interface StreamSource {
  /** The name in messages: a path, or `standard input`. */
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
  /** Ends the chunks early when it fires. */
  readonly signal: AbortSignal
}

/** Returns the input at a path; `-` is standard input. A file is opened when its first chunk is read. */
export const openSource = (
  path: string,
  { stdin, files, signal }: Pick<Runtime, 'stdin' | 'files' | 'signal'>,
): StreamSource =>
  path === '-'
    ? { name: 'standard input', chunks: stdin.chunks(signal), signal }
    : { name: path, chunks: files.chunks(path, signal), signal }

/** A line of an input, or a CSV record, which may span several lines. */
export interface InputLine {
  /** The line number, from 1; of a CSV record, the number of its first line. */
  readonly number: number
  /** The text, without the newline at its end. If it is too long, only its beginning. */
  readonly bytes: Buffer
  /** `true` if the text is longer than the limit of the reader. */
  readonly isTooLong: boolean
  /** `true` if a line break follows the text. Only the last line of an input may lack one. */
  readonly hasNewline: boolean
  /** The offset of the line in the input, in bytes. */
  readonly offset: number
  /** The offset of the next line, in bytes. If a carriage return and a newline end a record, it is that of the newline. */
  readonly nextOffset: number
}

const newline = 0x0a
const noBytes = Buffer.alloc(0)

/** The end of a line or record in a chunk. */
interface LineEnd {
  /** `true` if the first byte only completes the line break before it, a carriage return and a newline, and is to be skipped. */
  readonly skipsFirst?: boolean
  /** The index of the byte that ends the line; `undefined` if the line ends in a later chunk. */
  readonly index: number | undefined
  /** The number of line breaks before it that are a part of a CSV record, because they are inside quotes. */
  readonly innerNewlines: number
}

/** Finds the byte that ends a line or record. Searches a chunk from the index `from` on. */
export type FindLineEnd = (chunk: Buffer, from: number) => LineEnd

/**
 * The lines of an input. Each element has the lines that end in one chunk, which are split lazily: iterate over them before you
 * request the next element.
 */
export type LineStream = AsyncGenerator<Iterable<InputLine>, void, undefined>

/** Splits an input at its newlines. Stores at most about `maxBytes` of a line. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, maxBytes: number): LineStream =>
  splitStream(chunks, new LineSplitter(maxBytes, findNewline))

const findNewline: FindLineEnd = (chunk, from) => {
  const index = chunk.indexOf(newline, from)
  return { index: index < 0 ? undefined : index, innerNewlines: 0 }
}

/** Splits an input into lines or records. */
export async function* splitStream(
  chunks: AsyncIterable<Uint8Array>,
  splitter: LineSplitter,
): LineStream {
  for await (const chunk of chunks) yield splitter.split(bufferOf(chunk))
  yield splitter.finish()
}

/**
 * Splits chunks into lines or records, at the bytes that `findLineEnd` returns. `findLineEnd` gets each byte once. Stores at most about
 * `maxBytes` of a line or record.
 */
export class LineSplitter {
  private number = 1
  private innerNewlines = 0
  private parts: Buffer[] = []
  private lineLength = 0
  private offset = 0

  constructor(
    private readonly maxBytes: number,
    private readonly findLineEnd: FindLineEnd,
  ) {}

  /** Yields the lines that end in a chunk. Iterate over them before you split the next chunk. */
  *split(chunk: Buffer): Generator<InputLine, void, undefined> {
    let from = 0
    for (;;) {
      const end = this.findLineEnd(chunk, from)
      if (end.skipsFirst) {
        from += 1
        this.offset += 1
      }
      this.innerNewlines += end.innerNewlines
      if (end.index === undefined) break
      this.addPart(chunk.subarray(from, end.index))
      yield this.finishLine(true)
      from = end.index + 1
    }
    this.addPart(chunk.subarray(from))
  }

  /** Returns the last line, if it has no line break. */
  finish(): ReadonlyArray<InputLine> {
    return this.lineLength > 0 ? [this.finishLine(false)] : []
  }

  private addPart(part: Buffer): void {
    if (this.lineLength <= this.maxBytes && part.length > 0) this.parts.push(part)
    this.lineLength += part.length
  }

  /** Creates the line from the parts so far, and begins the next one. */
  private finishLine(hasNewline: boolean): InputLine {
    const { parts, offset, lineLength } = this
    const [firstPart = noBytes] = parts
    const nextOffset = offset + lineLength + (hasNewline ? 1 : 0)
    const line: InputLine = {
      number: this.number,
      bytes: parts.length > 1 ? Buffer.concat(parts) : firstPart,
      isTooLong: lineLength > this.maxBytes,
      hasNewline,
      offset,
      nextOffset,
    }
    this.number += this.innerNewlines + 1
    this.innerNewlines = 0
    this.parts = []
    this.lineLength = 0
    this.offset = nextOffset
    return line
  }
}

/** Returns the bytes of a line, without the byte order mark that an input may begin with. */
export const dropByteOrderMark = ({ number, bytes }: InputLine): Buffer =>
  number === 1 ? bytes.subarray(measureByteOrderMark(bytes)) : bytes

/** Returns `true` if the bytes are empty or only JSON whitespace. */
export const isBlank = (bytes: Buffer): boolean => bytes.every(isWhitespace)

const isWhitespace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

/** The control character DEL, and the five bytes that windows-1252 does not define. */
const bytesNeverInWindows: ReadonlySet<number> = new Set([0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** Returns a message about invalid UTF-8, with an encoding to try; `undefined` if the text is valid. */
export const findUtf8Fault = (bytes: Buffer): string | undefined => {
  if (isUtf8(bytes)) return undefined
  // The only control characters of a text are tab, newline and carriage return.
  const mayBeWindows = bytes.every(
    (byte) =>
      (byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) &&
      !bytesNeverInWindows.has(byte),
  )
  return mayBeWindows ? 'invalid UTF-8; try --encoding windows-1252' : 'invalid UTF-8'
}
