/**
 * Finds the ends of values in text that is known to be valid JSON, without checking anything again and
 * without recursion.
 */

const quote = 0x22
const backslash = 0x5c

/** The offset of the first byte at or after `at` that is not whitespace. */
export const skipBlanks = (bytes: Buffer, at: number): number => {
  let i = at
  while (i < bytes.length) {
    const byte = bytes[i] as number
    if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return i
    i++
  }
  return i
}

/** The offset after the string that begins at `at`. */
export const endOfString = (bytes: Buffer, at: number): number => {
  let i = at + 1
  for (;;) {
    const byte = bytes[i]
    if (byte === quote) return i + 1
    i += byte === backslash ? 2 : 1
  }
}

/** The offset after the value that begins at `at`. */
export const endOfValue = (bytes: Buffer, at: number): number => {
  switch (bytes[at]) {
    case quote:
      return endOfString(bytes, at)
    case 0x7b:
    case 0x5b:
      return endOfContainer(bytes, at)
    default:
      return endOfAtom(bytes, at)
  }
}

/** Whether a byte is `[` or `{`. */
export const isOpening = (byte: number | undefined): boolean => byte === 0x5b || byte === 0x7b

/** Whether a byte is `]` or `}`. */
export const isClosing = (byte: number | undefined): boolean => byte === 0x5d || byte === 0x7d

const endOfContainer = (bytes: Buffer, at: number): number => {
  let depth = 0
  let i = at
  do {
    const byte = bytes[i] as number
    if (byte === quote) i = endOfString(bytes, i)
    else {
      i++
      if (byte < 0x5b) continue
      if (isOpening(byte)) depth++
      else if (isClosing(byte)) depth--
    }
  } while (depth > 0)
  return i
}

/**
 * The end of a number, `true`, `false` or `null`: whitespace, a comma, a closing bracket or the end of the text
 * follows it.
 */
const endOfAtom = (bytes: Buffer, at: number): number => {
  let i = at
  while (i < bytes.length) {
    const byte = bytes[i] as number
    if (byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d) return i
    i++
  }
  return i
}
