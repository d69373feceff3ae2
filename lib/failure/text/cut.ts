import type { Redact } from './redact'

/** Returns the longest prefix of at most `limit` bytes of UTF-8 that does not split a character. */
export const cutBytes = (text: string, limit: number): string => {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= limit) return text
  // A UTF-16 unit takes at least one byte, so the prefix has at most `limit` units.
  const bytes = Buffer.from(text.slice(0, limit + 1))
  if (bytes.length <= limit) return text.slice(0, limit + 1)
  let end = limit
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Cuts a text to `limit` bytes, and appends `...` if it was longer. */
export const cutTo = (text: string, limit: number): string => {
  const prefix = cutBytes(text, limit)
  return prefix.length === text.length ? text : `${prefix}...`
}

/** Messages show at most this much of one text from a server. */
const maxShownBytes = 1024

/** Prepares a text from a server for display: redacts secrets, then cuts it to 1 KiB and appends `...`. */
export const redactAndCut =
  (redact: Redact) =>
  (text: string): string =>
    cutTo(redact(text), maxShownBytes)
