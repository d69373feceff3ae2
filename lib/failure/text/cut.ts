import type { Redact } from './secret'

/** Cuts a text to at most `limit` bytes of UTF-8, without splitting a character. */
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

/** Texts from a server are cut to this length in messages. */
const maxShownBytes = 1024

/** Creates a function that redacts secrets in a text from a server, then cuts it to 1 KiB. */
export const redactAndCut =
  (redact: Redact) =>
  (text: string): string =>
    cutTo(redact(text), maxShownBytes)
