import { prefixOfBytes } from '../../text/cut'

/** The most that a log line says of a cause, in bytes. D76 */
const mostBytes = 500

/** Bytes in a piece of text that is compared, and from one piece of the document to the next. */
const size = 8
const step = 4

/**
 * The cause of a failure as the log may have it: at most 500 bytes, with `…` for whatever runs for more than ten
 * bytes in the request's document too. Some engines repeat parts of the prompt in their messages, and the log has
 * neither state nor questions. Time grows with the document alone, to some tenths
 * of a second for one of 16 MiB. D76
 */
export const loggable = (cause: string, document: Uint8Array): string => {
  const text = Buffer.from(prefixOfBytes(cause, mostBytes))
  const shared = sharedPlaces(text, document)
  const parts: Array<Uint8Array> = []
  let shownTo = 0
  for (const place of shared) {
    // A run may begin and end between two pieces of the document.
    const from = Math.max(shownTo, place - step + 1)
    if (from > shownTo || parts.length === 0) parts.push(text.subarray(shownTo, from), ellipsis)
    shownTo = Math.min(text.length, place + size + step - 1)
  }
  parts.push(text.subarray(shownTo))
  // Where a character was cut in two, its half stands beside the `…`.
  return Buffer.concat(parts)
    .toString()
    .replace(/\uFFFD?…\uFFFD?/g, '…')
}

const ellipsis = Buffer.from('…')

/** The places of the text, in order, whose piece the document has at one of every `step` bytes. */
const sharedPlaces = (text: Buffer, document: Uint8Array): ReadonlyArray<number> => {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength)
  // By the first and the second half of a piece, as numbers: a lookup of these is several times as fast as one of texts.
  const pieces = new Map<number, Map<number, Array<number>>>()
  for (let at = 0; at + size <= text.length; at++) {
    const seconds = pieces.get(text.readInt32LE(at)) ?? new Map<number, Array<number>>()
    pieces.set(text.readInt32LE(at), seconds)
    const second = text.readInt32LE(at + size / 2)
    seconds.set(second, [...(seconds.get(second) ?? []), at])
  }
  const found: Array<number> = []
  for (let at = 0; at + size <= bytes.length; at += step) {
    const seconds = pieces.get(bytes.readInt32LE(at))
    const second = bytes.readInt32LE(at + size / 2)
    const places = seconds?.get(second)
    if (places === undefined) continue
    found.push(...places)
    // Each is looked for once, however often the document has it.
    seconds?.delete(second)
  }
  return found.sort((one, other) => one - other)
}
