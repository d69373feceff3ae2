import type { Redact } from './secret'

/** Cuts a text to at most `maxBytes` bytes of UTF-8, without splitting a character. */
export const cutBytes = (text: string, maxBytes: number): string => {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  // A UTF-16 unit takes at least one byte, so no result has more than `maxBytes` units.
  const bytes = Buffer.from(text.slice(0, maxBytes + 1))
  if (bytes.length <= maxBytes) return text.slice(0, maxBytes + 1)
  let end = maxBytes
  while (end > 0 && isContinuationByte(bytes[end] as number)) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns `true` for every byte of a character in UTF-8 except the first: 10xxxxxx in binary. */
const isContinuationByte = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Cuts a text to at most `maxBytes` bytes of UTF-8, and then appends `...` if it was longer. */
export const cutTo = (text: string, maxBytes: number): string => {
  const prefix = cutBytes(text, maxBytes)
  return prefix.length === text.length ? text : `${prefix}...`
}

/** The maximum length of a server's text in a message. */
const maxShownBytes = 1024

/** Creates a function that redacts secrets in a text from a server, then cuts it to 1 KiB. */
export const redactAndCut =
  (redact: Redact) =>
  (text: string): string =>
    cutTo(redact(text), maxShownBytes)
