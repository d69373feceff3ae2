/** Bytes as text, invalid UTF-8 replaced by U+FFFD. */
export const repairBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** A text without lone surrogates, which have no UTF-8 form: U+FFFD stands in their place. */
export const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** The longest prefix of at most `limit` bytes of UTF-8 that cuts no character. */
export const prefixOfBytes = (text: string, limit: number): string => {
  // A UTF-16 unit takes one byte at least, so the prefix lies within `limit` units.
  const bytes = Buffer.from(text.slice(0, limit + 1))
  if (bytes.length <= limit) return text.slice(0, limit + 1)
  let end = limit
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
