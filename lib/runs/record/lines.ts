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
  /** `true` if a newline follows the text. Only the last line of an input may lack one. */
  readonly hasNewline: boolean
  /** The offset of the line in the input, in bytes. */
  readonly offset: number
  /** The offset of the next line, in bytes. */
  readonly nextOffset: number
}

const newline = 0x0a
const noBytes = Buffer.alloc(0)

/** The end of a line or record in a chunk. */
interface LineEnd {
  /** The index of the newline in the chunk; `undefined` if the line ends in a later chunk. */
  readonly index: number | undefined
  /** The number of newlines before it that are a part of a CSV record, because they are inside quotes. */
  readonly innerNewlines: number
}

/** Finds the newline that ends a line or record. Searches a chunk from the index `from` on. */
type FindLineEnd = (chunk: Buffer, from: number) => LineEnd

/**
 * The lines of an input. Each element has the lines that end in one chunk, which are split lazily: iterate over them before you
 * request the next element.
 */
export type LineStream = AsyncGenerator<Iterable<InputLine>, void, undefined>

/** Splits an input at its newlines. Stores at most about `maxBytes` of a line. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, maxBytes: number): LineStream =>
  splitAtNewlines(chunks, maxBytes, (chunk, from) => {
    const index = chunk.indexOf(newline, from)
    return { index: index < 0 ? undefined : index, innerNewlines: 0 }
  })

/**
 * Splits an input at the newlines that `findLineEnd` returns. `findLineEnd` gets each byte once. Stores at most about `maxBytes` of a
 * line or record.
 */
export async function* splitAtNewlines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  findLineEnd: FindLineEnd,
): LineStream {
  let number = 1
  let innerNewlines = 0
  let parts: Buffer[] = []
  let lineLength = 0
  let offset = 0
  const addPart = (part: Buffer): void => {
    if (lineLength <= maxBytes && part.length > 0) parts.push(part)
    lineLength += part.length
  }
  /** Creates the line from the parts so far, and begins the next one. */
  const finishLine = (hasNewline: boolean): InputLine => {
    const [firstPart = noBytes] = parts
    const nextOffset = offset + lineLength + (hasNewline ? 1 : 0)
    const line: InputLine = {
      number,
      bytes: parts.length > 1 ? Buffer.concat(parts) : firstPart,
      isTooLong: lineLength > maxBytes,
      hasNewline,
      offset,
      nextOffset,
    }
    number += innerNewlines + 1
    innerNewlines = 0
    parts = []
    lineLength = 0
    offset = nextOffset
    return line
  }
  function* splitChunk(chunk: Buffer): Generator<InputLine> {
    let from = 0
    for (;;) {
      const end = findLineEnd(chunk, from)
      innerNewlines += end.innerNewlines
      if (end.index === undefined) break
      addPart(chunk.subarray(from, end.index))
      yield finishLine(true)
      from = end.index + 1
    }
    addPart(chunk.subarray(from))
  }
  for await (const chunk of chunks) yield splitChunk(bufferOf(chunk))
  if (lineLength > 0) yield [finishLine(false)]
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
