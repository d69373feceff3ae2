/** Bytes as text, invalid UTF-8 replaced by U+FFFD. */
export const repairBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** A text without lone surrogates, which have no UTF-8 form: U+FFFD stands in their place. */
export const repairText = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')
