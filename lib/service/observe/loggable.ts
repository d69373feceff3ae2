import { bufferOf } from '../../runtime/node/buffer-of'
import { prefixOfBytes } from '../../text/cut'

/** The most bytes of a cause that a log line shows. D76 */
const mostBytes = 500

/**
 * `size` is the length in bytes of the pieces that are compared, `step` the distance between the starts of two
 * pieces of the document.
 */
const size = 8
const step = 4

/**
 * Makes the cause of an engine's failure fit to log: cuts it to 500 bytes, and replaces by `…` every run of
 * more than ten bytes that the request document holds too. Some engines quote the prompt in their error
 * messages, and the log must not hold state or questions. The time grows with the document only, up to some
 * hundredths of a second for 16 MiB. D76
 */
export const loggable = (cause: string, document: Uint8Array): string => {
  const text = Buffer.from(prefixOfBytes(cause, mostBytes))
  const shared = sharedPlaces(text, document)
  const parts: Array<Uint8Array> = []
  let shownTo = 0
  for (const place of shared) {
    // A shared run may begin before the piece that was found, and end after it, by up to `step - 1` bytes.
    const from = Math.max(shownTo, place - step + 1)
    if (from > shownTo || parts.length === 0) parts.push(text.subarray(shownTo, from), ellipsis)
    shownTo = Math.min(text.length, place + size + step - 1)
  }
  parts.push(text.subarray(shownTo))
  // A multi-byte character that was cut in two decodes as U+FFFD beside the `…`.
  return Buffer.concat(parts)
    .toString()
    .replace(/\uFFFD?…\uFFFD?/g, '…')
}

const ellipsis = Buffer.from('…')

/** The offsets in `text`, ascending, of pieces that also occur in the document at a multiple of `step`. */
const sharedPlaces = (text: Buffer, document: Uint8Array): ReadonlyArray<number> => {
  const bytes = bufferOf(document)
  // A piece is looked up by its two halves, read as numbers: that is several times as fast as looking up
  // strings.
  const pieces = new Map<number, Map<number, Array<number>>>()
  // Marks the first two bytes of every piece. Most places of a document begin differently, and checking that
  // here takes a tenth of the time of a lookup in the map.
  const beginnings = new Uint8Array(1 << 16)
  for (let at = 0; at + size <= text.length; at++) {
    const seconds = pieces.get(text.readInt32LE(at)) ?? new Map<number, Array<number>>()
    pieces.set(text.readInt32LE(at), seconds)
    beginnings[text.readUInt16LE(at)] = 1
    const second = text.readInt32LE(at + size / 2)
    seconds.set(second, [...(seconds.get(second) ?? []), at])
  }
  const found: Array<number> = []
  for (let at = 0; at + size <= bytes.length; at += step) {
    const beginning = (bytes[at] as number) | ((bytes[at + 1] as number) << 8)
    if (beginnings[beginning] === 0) continue
    const seconds = pieces.get(bytes.readInt32LE(at))
    const second = bytes.readInt32LE(at + size / 2)
    const places = seconds?.get(second)
    if (places === undefined) continue
    found.push(...places)
    // A piece that was found is not looked for again, however often the document repeats it.
    seconds?.delete(second)
  }
  return found.sort((one, other) => one - other)
}
