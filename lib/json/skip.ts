/**
 * Finds the ends of things in text that `scan` has found to be valid JSON. Nothing here
 * checks anything again; all of it is iterative, so depth costs no stack.
 */

const quote = 0x22
const backslash = 0x5c

/** Strings longer than this are searched natively; below it the call costs more than it saves. */
const near = 32

/** The first offset at or after `at` that holds no blank. */
export const skipBlanks = (bytes: Buffer, at: number): number => {
  let i = at
  for (;;) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i
    i++
  }
}

/** The offset past the string that begins at `at`. */
export const endOfString = (bytes: Buffer, at: number): number => {
  const limit = Math.min(at + near, bytes.length)
  let i = at + 1
  while (i < limit) {
    const byte = bytes[i]
    if (byte === quote) return i + 1
    i += byte === backslash ? 2 : 1
  }
  return endOfLongString(bytes, i)
}

/** `from` stands in a string, not inside an escape. */
const endOfLongString = (bytes: Buffer, from: number): number => {
  let i = from
  for (;;) {
    const end = bytes.indexOf(quote, i)
    let before = end - 1
    while (before >= i && bytes[before] === backslash) before--
    if ((end - before) % 2 === 1) return end + 1
    i = end + 1
  }
}

/** The offset past the value that begins at `at`. */
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

const endOfContainer = (bytes: Buffer, at: number): number => {
  let depth = 0
  let i = at
  for (;;) {
    switch (bytes[i]) {
      case quote:
        i = endOfString(bytes, i)
        continue
      case 0x7b:
      case 0x5b:
        depth++
        break
      case 0x7d:
      case 0x5d:
        depth--
        if (depth === 0) return i + 1
        break
    }
    i++
  }
}

/** Numbers, `true`, `false` and `null` end at a blank, a comma, a closing bracket or the end. */
const endOfAtom = (bytes: Buffer, at: number): number => {
  let i = at
  while (i < bytes.length) {
    const byte = bytes[i] as number
    if (byte <= 0x20 || byte === 0x2c || byte === 0x5d || byte === 0x7d) return i
    i++
  }
  return i
}
