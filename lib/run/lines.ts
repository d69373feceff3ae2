import { markLength } from '../json/parse'
import { skipBlanks } from '../json/skip'
import { bufferOf } from '../runtime/node/buffer-of'

/** A line of an input, or a record of several lines, without its last newline. */
export interface Line {
  /** The number of the line on which it begins, from 1. */
  readonly number: number
  /** The bytes of the line; only the beginning where it is too long. */
  readonly bytes: Buffer
  readonly tooLong: boolean
  /** The last KiB of a line that is too long. */
  readonly end?: Buffer
  /** Whether the line ends in a newline. Only the last line of an input may lack one. */
  readonly ended: boolean
  /** Where the next line begins, in bytes from the start of the input. */
  readonly next: number
}

const newline = 0x0a
const endLength = 1024
const noBytes = Buffer.alloc(0)

/**
 * Finds the end of a piece in a chunk, from `from` on. `at` is the place of the newline that ends it, -1 where the
 * chunk ends first; `inside` is how many newlines come before that.
 */
type FindEnd = (chunk: Buffer, from: number) => { readonly at: number; readonly inside: number }

/** The pieces of an input; those that end in one chunk come together. */
export type Pieces = AsyncGenerator<ReadonlyArray<Line>, void, undefined>

/** Splits an input at newlines. Of a line over `limit` bytes only the beginning, and the last KiB, are kept. */
export const splitLines = (chunks: AsyncIterable<Uint8Array>, limit: number): Pieces =>
  splitPieces(chunks, limit, (chunk, from) => ({ at: chunk.indexOf(newline, from), inside: 0 }))

/**
 * Splits an input where `findEnd` says, which sees every byte once. Of a piece over `limit` bytes as much is kept
 * as of a line.
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
    const bytes = Buffer.concat(parts)
    const tooLong = held > limit
    offset += held + (ended ? 1 : 0)
    const line = { number, bytes, tooLong, ended, next: offset, ...(tooLong && { end }) }
    number += inside + 1
    inside = 0
    parts = []
    held = 0
    end = noBytes
    return line
  }
  for await (const input of chunks) {
    const chunk = bufferOf(input)
    const ended: Line[] = []
    let from = 0
    for (;;) {
      const found = findEnd(chunk, from)
      inside += found.inside
      if (found.at < 0) break
      hold(chunk.subarray(from, found.at))
      ended.push(take(true))
      from = found.at + 1
    }
    hold(chunk.subarray(from))
    yield ended
  }
  if (held > 0) yield [take(false)]
}

/** Removes the byte order mark with which an input may begin (D48). */
export const dropMark = ({ number, bytes }: Line): Buffer =>
  number === 1 ? bytes.subarray(markLength(bytes)) : bytes

/** Whether there is nothing but JSON whitespace. */
export const isBlank = (bytes: Buffer): boolean => skipBlanks(bytes, 0) === bytes.length
