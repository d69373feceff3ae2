import type { Line, Splitter } from '../run/lines'
import { bufferOf } from '../runtime/buffer-of'

const quote = 0x22
const comma = 0x2c
const newline = 0x0a
const carriageReturn = 0x0d

/**
 * The UTF-8 byte order mark with which an input may begin (D48). It is skipped, so that a quote after it opens
 * a field.
 */
const mark = [0xef, 0xbb, 0xbf]

/** Where in a field the next byte is: at its start, in plain text, inside quotes, or after a closing quote. */
type Place = 'start' | 'plain' | 'quoted' | 'closed'

/**
 * Splits CSV into records, as `lineSplitter` splits lines; a newline inside a quoted field does not end a
 * record. It only looks for the ends: csv-parse later decides whether a record is well formed. Of a record over
 * `limit` bytes only the beginning is kept.
 */
export const csvSplitter = (limit: number): Splitter => {
  let line = 1
  let begins = 1
  let place: Place = 'start'
  let marked = 0
  let parts: Buffer[] = []
  let held = 0
  let offset = 0
  const hold = (part: Buffer): void => {
    if (held <= limit && part.length > 0) parts.push(part)
    held += part.length
  }
  const take = (ended: boolean): Line => {
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    offset += held + (ended ? 1 : 0)
    const record = { number: begins, bytes, tooLong: held > limit, ended, next: offset }
    parts = []
    held = 0
    begins = line
    place = 'start'
    return record
  }
  return {
    feed: (chunk) => {
      const bytes = bufferOf(chunk)
      const records: Line[] = []
      let from = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] as number
        if (byte === mark[marked]) {
          marked += 1
          continue
        }
        marked = mark.length
        if (byte === newline) {
          line += 1
          if (place !== 'quoted') {
            hold(bytes.subarray(from, at))
            records.push(take(true))
            from = at + 1
            continue
          }
        }
        place = after(place, byte)
      }
      hold(bytes.subarray(from))
      return records
    },
    end: () => (held > 0 ? [take(false)] : []),
  }
}

const after = (place: Place, byte: number): Place => {
  if (place === 'quoted') return byte === quote ? 'closed' : 'quoted'
  if (byte === comma) return 'start'
  if (byte === quote && place !== 'plain') return 'quoted'
  return place === 'closed' && byte === carriageReturn ? 'closed' : 'plain'
}
