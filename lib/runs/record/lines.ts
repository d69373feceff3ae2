import { bufferOf, measureMark } from '../../codec/json/parse'

/** A line of an input, or a CSV record that spans several lines, without its last newline. */
export interface InputLine {
  /** The number of the (first) line, from 1. */
  readonly number: number
  /** The text. If it is too long, only its beginning: somewhat more bytes than the limit. */
  readonly bytes: Buffer
  /** `true` if the text is longer than the limit. */
  readonly tooLong: boolean
  /** The last KiB of a text that is too long. */
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
 * Searches a chunk of input, from the offset `from` on, for the newline that ends a line or record. `at` is the offset
 * of that newline, or -1 if the chunk has none. `inside` counts the newlines before it, which belong to the record.
 */
type FindEnd = (chunk: Buffer, from: number) => { readonly at: number; readonly inside: number }

/**
 * The lines of an input, those that end in one chunk of it together. Each is split off when it is taken. Take the lines of
 * a chunk before the next chunk.
 */
export type LineStream = AsyncGenerator<Iterable<InputLine>, void, undefined>

/** Splits an input at its newlines. Holds about `limit` bytes of each line at most, and its last KiB. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, limit: number): LineStream =>
  splitAtNewlines(chunks, limit, (chunk, from) => ({ at: chunk.indexOf(newline, from), inside: 0 }))

/**
 * Splits an input at the newlines that `findEnd` chooses; it sees every byte once. Holds about `limit` bytes of each
 * piece at most, and its last KiB.
 */
export async function* splitAtNewlines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  findEnd: FindEnd,
): LineStream {
  let number = 1
  let inside = 0
  let parts: Buffer[] = []
  let pieceBytes = 0
  let lastBytes = noBytes
  let offset = 0
  const addPart = (part: Buffer): void => {
    if (pieceBytes <= limit && part.length > 0) parts.push(part)
    pieceBytes += part.length
    if (pieceBytes > limit)
      lastBytes = Buffer.concat([lastBytes, part.subarray(-endBytes)]).subarray(-endBytes)
  }
  const takePiece = (ended: boolean): InputLine => {
    const [first = noBytes] = parts
    const bytes = parts.length > 1 ? Buffer.concat(parts) : first
    const tooLong = pieceBytes > limit
    const start = offset
    offset += pieceBytes + (ended ? 1 : 0)
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
    pieceBytes = 0
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
      yield takePiece(true)
      from = end.at + 1
    }
    addPart(chunk.subarray(from))
  }
  for await (const chunk of chunks) yield splitChunk(bufferOf(chunk))
  if (pieceBytes > 0) yield [takePiece(false)]
}

/** Returns the bytes of a line without the byte order mark with which the first line of an input may begin. */
export const dropMark = ({ number, bytes }: InputLine): Buffer =>
  number === 1 ? bytes.subarray(measureMark(bytes)) : bytes

/** Returns `true` if a line holds only JSON whitespace. */
export const isBlank = (bytes: Buffer): boolean => bytes.every(isWhitespace)

const isWhitespace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
