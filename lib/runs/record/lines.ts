import { bufferOf, measureMark } from '../../codec/json/parse'

/** A line of an input, or a CSV record that spans several lines. Its last newline is left out. */
export interface Line {
  /** The number of the (first) line, from 1. */
  readonly number: number
  /** The text. Where it is too long, only its beginning: somewhat more bytes than the limit. */
  readonly bytes: Buffer
  /** Whether the text is longer than the limit. */
  readonly tooLong: boolean
  /** The last KiB of a text that is too long. */
  readonly end?: Buffer
  /** Whether a newline follows the text. Only the last line of an input may lack one. */
  readonly ended: boolean
  /** The offset of the line in the input, in bytes. */
  readonly start: number
  /** The offset of the next line. */
  readonly next: number
}

const newline = 0x0a
const endLength = 1024
const noBytes = Buffer.alloc(0)

/**
 * Searches a chunk of input, from the offset `from` on, for the newline that ends a line or record. `at` is the offset
 * of that newline, or -1 if the chunk has none. `inside` counts the newlines before it, which belong to the record.
 */
type FindEnd = (chunk: Buffer, from: number) => { readonly at: number; readonly inside: number }

/**
 * The lines of an input, those that end in one chunk of it together. They are cut off one by one as they are taken, and
 * must be taken before those of the next chunk.
 */
export type Pieces = AsyncGenerator<Iterable<Line>, void, undefined>

/** Splits an input at its newlines. At most about `limit` bytes of each line are kept, and its last KiB. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, limit: number): Pieces =>
  splitPieces(chunks, limit, (chunk, from) => ({ at: chunk.indexOf(newline, from), inside: 0 }))

/**
 * Splits an input at those newlines that `findEnd` chooses; it sees every byte once. At most about `limit` bytes of each
 * piece are kept, and its last KiB.
 */
export async function* splitPieces(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  findEnd: FindEnd,
): Pieces {
  let number = 1
  let inside = 0
  let parts: Buffer[] = []
  let held = 0
  let end = noBytes
  let offset = 0
  const hold = (part: Buffer): void => {
    if (held <= limit && part.length > 0) parts.push(part)
    held += part.length
    if (held > limit) end = Buffer.concat([end, part.subarray(-endLength)]).subarray(-endLength)
  }
  const take = (ended: boolean): Line => {
    const [first = noBytes] = parts
    const bytes = parts.length > 1 ? Buffer.concat(parts) : first
    const tooLong = held > limit
    const start = offset
    offset += held + (ended ? 1 : 0)
    const line = { number, bytes, tooLong, ended, start, next: offset, ...(tooLong && { end }) }
    number += inside + 1
    inside = 0
    parts = []
    held = 0
    end = noBytes
    return line
  }
  function* splitChunk(chunk: Buffer): Generator<Line> {
    let from = 0
    for (;;) {
      const found = findEnd(chunk, from)
      inside += found.inside
      if (found.at < 0) break
      hold(chunk.subarray(from, found.at))
      yield take(true)
      from = found.at + 1
    }
    hold(chunk.subarray(from))
  }
  for await (const chunk of chunks) yield splitChunk(bufferOf(chunk))
  if (held > 0) yield [take(false)]
}

/** The bytes of a line without the byte order mark with which the first line of an input may begin. */
export const dropMark = ({ number, bytes }: Line): Buffer =>
  number === 1 ? bytes.subarray(measureMark(bytes)) : bytes

/** Whether a line holds nothing but JSON whitespace. */
export const isBlank = (bytes: Buffer): boolean => bytes.every(isWhitespace)

const isWhitespace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
