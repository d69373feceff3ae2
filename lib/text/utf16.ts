import * as E from 'fp-ts/Either'

/** The two orders of the bytes of UTF-16, by their names in `TextDecoder`. */
export type Utf16 = 'utf-16le' | 'utf-16be'

/** Recognizes UTF-16 by its byte order mark, with which PowerShell 5.1 and Excel begin a file. */
export const findUtf16Mark = (start: Uint8Array): Utf16 | undefined => {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined
}

/** The size of the byte order mark of UTF-16. */
export const utf16MarkBytes = 2

/** svc looks at this many bytes to recognize UTF-16 without a byte order mark. */
export const maxExaminedBytes = 64

/** Two characters are the least by which svc recognizes it. */
const minExaminedBytes = 4

/**
 * Explains that a text is UTF-16 without a byte order mark; `undefined` if it is not. Such a text begins with characters of ASCII, or
 * has some among its first characters, and each of them has a byte that is 0. A text in UTF-8 that merely contains the character NUL
 * does not begin with two such pairs.
 */
export const explainUnmarkedUtf16 = (start: Uint8Array): string | undefined => {
  const encoding = guessUtf16(start)
  return encoding === undefined
    ? undefined
    : `this is ${encoding} without a byte order mark: save it as UTF-8`
}

const guessUtf16 = (start: Uint8Array): Utf16 | undefined => {
  const examined = start.subarray(0, maxExaminedBytes)
  if (examined.length < minExaminedBytes) return undefined
  const firstPairs = [examined.subarray(0, 2), examined.subarray(2, 4)]
  if (firstPairs.every(([first, second]) => first !== 0 && second === 0)) return 'utf-16le'
  if (firstPairs.every(([first, second]) => first === 0 && second !== 0)) return 'utf-16be'
  // The first characters may be of another script, in which only the delimiters and line breaks are ASCII.
  const evenBytes = examined.filter((_, index) => index % 2 === 0)
  const oddBytes = examined.filter((_, index) => index % 2 === 1)
  if (isDecodable(examined) && !isMostlyControls(evenBytes) && !isMostlyControls(oddBytes))
    return undefined
  if (!evenBytes.includes(0) && hasAsciiUnit(evenBytes, oddBytes)) return 'utf-16le'
  return !oddBytes.includes(0) && hasAsciiUnit(oddBytes, evenBytes) ? 'utf-16be' : undefined
}

/** Returns `true` if any character is ASCII: the upper half of its unit is 0. */
const hasAsciiUnit = (lowerHalves: Uint8Array, upperHalves: Uint8Array): boolean =>
  upperHalves.some((byte, index) => byte === 0 && (lowerHalves[index] ?? 0xff) < 0x80)

/** Returns `true` if most bytes are control characters, as the upper halves of Greek, Cyrillic, Hebrew and Arabic letters are. */
const isMostlyControls = (bytes: Uint8Array): boolean =>
  2 * bytes.filter((byte) => byte < 0x09).length > bytes.length

/** Returns `true` if bytes are valid UTF-8, except that the last character may be cut off. */
const isDecodable = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Converts a chunk of UTF-16 to text. Without a chunk, ends the input. Fails with the valid text before the first fault. */
export type Utf16Decoder = (chunk: Buffer | undefined) => E.Either<string, string>

/** Creates a decoder. It does not remove a byte order mark. A half character (a lone surrogate or a single byte) is a fault. */
export const createUtf16Decoder = (encoding: Utf16): Utf16Decoder => {
  /** The bytes of a character that the next chunk completes. */
  let carry: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = chunk === undefined ? carry : Buffer.concat([carry, chunk])
    const wholeUnits = Buffer.from(bytes.subarray(0, bytes.length & ~1))
    const units = (encoding === 'utf-16be' ? wholeUnits.swap16() : wholeUnits).toString('utf16le')
    // The second half of a character may come with the next chunk.
    const text = chunk === undefined ? units : units.replace(/[\ud800-\udbff]$/, '')
    carry = bytes.subarray(2 * text.length)
    const faultOffset = text.search(/\p{Surrogate}/u)
    if (faultOffset >= 0) return E.left(text.slice(0, faultOffset))
    return chunk === undefined && carry.length > 0 ? E.left(text) : E.right(text)
  }
}

/** Encodes a text. */
export const encodeUtf16 = (text: string, encoding: Utf16): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16be' ? bytes.swap16() : bytes
}

/**
 * Converts a document to UTF-8 if it is UTF-16 with a byte order mark; otherwise returns it as it is. Fails with a message if it is
 * UTF-16 without a byte order mark, or invalid.
 */
export const convertUtf16Document = (document: Uint8Array): E.Either<string, Uint8Array> => {
  const encoding = findUtf16Mark(document)
  if (encoding === undefined) {
    const fault = explainUnmarkedUtf16(document)
    return fault === undefined ? E.right(document) : E.left(fault)
  }
  const decode = createUtf16Decoder(encoding)
  const text = decode(Buffer.from(document.subarray(utf16MarkBytes)))
  if (E.isLeft(text)) return E.left(`it is not valid ${encoding}`)
  const rest = decode(undefined)
  return E.isLeft(rest)
    ? E.left(`it is not valid ${encoding}`)
    : E.right(Buffer.from(text.right + rest.right))
}
