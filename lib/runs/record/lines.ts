import { bufferOf, measureMark } from '../../codec/json/parse'

/** A line of an input, or a CSV record, which may span several lines. */
export interface InputLine {
  /** The number of its first line, from 1. */
  readonly number: number
  /** The text, without the newline at its end. If it is too long, only its beginning. */
  readonly bytes: Buffer
  /** `true` if the text is longer than the limit of the reader. */
  readonly tooLong: boolean
  /** The last KiB of a text that is too long. Otherwise absent. */
  readonly end?: Buffer
  /** `true` if a newline follows the text. Only the last line of an input may lack one. */
  readonly ended: boolean
  /** The offset of the line in the input, in bytes. */
  readonly start: number
  /** The offset of the next line. */
  readonly next: number
}

const newline = 0x0a
const endBytes = 1024
const noBytes = Buffer.alloc(0)

/**
 * Searches a chunk, from the offset `from`, for the newline that ends a line or record. `at` is its offset, or -1 if it is not in
 * the chunk. `inside` is the number of newlines before it that are a part of the record.
 */
type FindEnd = (chunk: Buffer, from: number) => { readonly at: number; readonly inside: number }

/**
 * The lines of an input. Each element has the lines that end in one chunk, which are split lazily: iterate over them before you
 * request the next element.
 */
export type LineStream = AsyncGenerator<Iterable<InputLine>, void, undefined>

/** Splits an input at its newlines. Stores at most about `maxBytes` of a line, and its last KiB. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, maxBytes: number): LineStream =>
  splitAtNewlines(chunks, maxBytes, (chunk, from) => ({
    at: chunk.indexOf(newline, from),
    inside: 0,
  }))

/**
 * Splits an input at the newlines that `findEnd` returns. `findEnd` gets each byte once. Stores at most about `maxBytes` of a line
 * or record, and its last KiB.
 */
export async function* splitAtNewlines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  findEnd: FindEnd,
): LineStream {
  let number = 1
  let inside = 0
  let parts: Buffer[] = []
  let lineBytes = 0
  let lastBytes = noBytes
  let offset = 0
  const addPart = (part: Buffer): void => {
    if (lineBytes <= maxBytes && part.length > 0) parts.push(part)
    lineBytes += part.length
    if (lineBytes > maxBytes)
      lastBytes = Buffer.concat([lastBytes, part.subarray(-endBytes)]).subarray(-endBytes)
  }
  const takeLine = (ended: boolean): InputLine => {
    const [first = noBytes] = parts
    const bytes = parts.length > 1 ? Buffer.concat(parts) : first
    const tooLong = lineBytes > maxBytes
    const start = offset
    offset += lineBytes + (ended ? 1 : 0)
    const line = {
      number,
      bytes,
      tooLong,
      ended,
      start,
      next: offset,
      ...(tooLong && { end: lastBytes }),
    }
    number += inside + 1
    inside = 0
    parts = []
    lineBytes = 0
    lastBytes = noBytes
    return line
  }
  function* splitChunk(chunk: Buffer): Generator<InputLine> {
    let from = 0
    for (;;) {
      const end = findEnd(chunk, from)
      inside += end.inside
      if (end.at < 0) break
      addPart(chunk.subarray(from, end.at))
      yield takeLine(true)
      from = end.at + 1
    }
    addPart(chunk.subarray(from))
  }
  for await (const chunk of chunks) yield splitChunk(bufferOf(chunk))
  if (lineBytes > 0) yield [takeLine(false)]
}

/** Returns the bytes of a line. Drops the byte order mark of the first line, if it has one. */
export const dropMark = ({ number, bytes }: InputLine): Buffer =>
  number === 1 ? bytes.subarray(measureMark(bytes)) : bytes

/** Checks if a line has only JSON whitespace. */
export const isBlank = (bytes: Buffer): boolean => bytes.every(isWhitespace)

const isWhitespace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
