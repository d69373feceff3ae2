/** The length of a UTF-8 sequence that begins with this byte; 0 where none does. */
const lengthOf = (lead: number): number => {
  if (lead < 0x80) return 1
  if (lead < 0xc2) return 0
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf5 ? 4 : 0
}

/**
 * Whether the second byte of a sequence is allowed: it must not make an overlong form, a surrogate or a code
 * point above U+10FFFF.
 */
const secondFits = (lead: number, second: number): boolean => {
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  if (lead === 0xf4) return second < 0x90
  return true
}

/** The length of the byte order mark with which a text may begin: 3, or 0 without one. D48 */
export const markLength = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** The offset of the first byte that is not valid UTF-8; the length where all are valid. */
export const firstInvalidByte = (bytes: Uint8Array): number => {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] as number
    const length = lengthOf(lead)
    if (length === 0) return at
    for (let i = 1; i < length; i++) {
      const byte = bytes[at + i] ?? 0
      if ((byte & 0xc0) !== 0x80 || (i === 1 && !secondFits(lead, byte))) return at
    }
    at += length
  }
  return at
}
