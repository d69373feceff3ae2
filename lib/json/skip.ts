/**
 * Finds the ends of things in text that `scan` has found to be valid JSON. Nothing here
 * checks anything again; all of it is iterative, so depth costs no stack.
 */

const quote = 0x22
const backslash = 0x5c

/** A search goes native after this many bytes; below it the call costs more than it saves. */
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
  let i = at + 1
  for (;;) {
    const limit = Math.min(i + near, bytes.length)
    while (i < limit) {
      const byte = bytes[i]
      if (byte === quote) return i + 1
      i += byte === backslash ? 2 : 1
    }
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

/** What a byte outside strings does to the depth; strings are marked too. */
const turns = new Uint8Array(256)
const opens = 1
const closes = 2
const quotes = 3
for (const byte of Buffer.from('[{')) turns[byte] = opens
for (const byte of Buffer.from(']}')) turns[byte] = closes
turns[quote] = quotes

const endOfContainer = (bytes: Buffer, at: number): number => {
  const { length } = bytes
  let depth = 1
  let i = at + 1
  while (depth > 0 && i < length) {
    const turn = turns[bytes[i] as number] as number
    if (turn === 0) i++
    else if (turn === quotes) i = endOfString(bytes, i)
    else {
      depth += turn === opens ? 1 : -1
      i++
    }
  }
  return i
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
