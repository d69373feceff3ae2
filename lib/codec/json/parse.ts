import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import { Json } from './json'
import { scan } from './scan'
import { skipBlanks } from './skip'

/** The most bytes of a request or response document: 16 MiB. spec: Limits, D6, D37 */
export const largestDocument = 16 << 20

/** What messages say of a larger document. */
export const exceedsLargest = 'exceeds 16 MiB'

/** Why a text is not JSON, and where. `offset` is in bytes; lines and columns count from 1, columns in characters. */
interface JsonSyntaxError {
  readonly offset: number
  readonly line: number
  readonly column: number
  /** What was expected and what was found. It repeats at most one character of the document. */
  readonly cause: string
  /** The place and the cause, for users. */
  readonly message: string
}

/**
 * Parses a document: strict RFC 8259 in valid UTF-8, with any depth of nesting. A byte order mark is skipped
 * (D48). The bytes are kept and not copied, so they must not change afterwards.
 */
export const parseJson = (input: Uint8Array): E.Either<JsonSyntaxError, Json> => {
  const bytes = bufferOf(input)
  const from = measureMark(bytes)
  const invalid = findInvalidByte(bytes)
  if (invalid < bytes.length) {
    const byte = (bytes[invalid] as number).toString(16)
    return E.left(syntaxError(bytes, from, invalid, `invalid UTF-8 at byte 0x${byte}`))
  }
  const fault = scan(bytes, from)
  if (fault !== undefined) {
    const cause = `expected ${fault.expected}, found ${describeCharacter(bytes, fault.offset)}`
    return E.left(syntaxError(bytes, from, fault.offset, cause))
  }
  let end = bytes.length
  while ((bytes[end - 1] as number) <= 0x20) end--
  return E.right(new Json(bytes, skipBlanks(bytes, from), end))
}

/** Parses a text as `parseJson` does bytes. Lone surrogates become U+FFFD. */
export const parseText = (text: string): E.Either<JsonSyntaxError, Json> =>
  parseJson(Buffer.from(text))

const syntaxError = (
  bytes: Buffer,
  from: number,
  offset: number,
  cause: string,
): JsonSyntaxError => {
  const { line, column } = findPlace(bytes, from, offset)
  return { offset, line, column, cause, message: `line ${line}, column ${column}: ${cause}` }
}

const findPlace = (bytes: Buffer, from: number, offset: number) => {
  let line = 1
  let lineStart = from
  for (;;) {
    const newline = bytes.indexOf(0x0a, lineStart)
    if (newline === -1 || newline >= offset) break
    line++
    lineStart = newline + 1
  }
  let column = 1
  for (let i = lineStart; i < offset; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) column++
  return { line, column }
}

/** Describes the character at `offset`: in quotes if it is printable ASCII, else as `U+0000`. */
const describeCharacter = (bytes: Buffer, offset: number): string => {
  if (offset >= bytes.length) return 'the end of the document'
  const code = bytes.toString('utf8', offset, offset + 4).codePointAt(0) ?? 0
  if (code === 0x22) return "'\"'"
  if (code >= 0x20 && code < 0x7f) return `"${String.fromCodePoint(code)}"`
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** The length of the byte order mark with which a text may begin: 3, or 0 without one. D48 */
export const measureMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** The offset of the first byte that is not valid UTF-8; the length where all are valid. */
export const findInvalidByte = (bytes: Uint8Array): number => {
  if (isUtf8(bytes)) return bytes.length
  // Decoding puts U+FFFD in place of what is invalid, which may begin with some of the same bytes.
  const repaired = Buffer.from(bufferOf(bytes).toString())
  let at = 0
  while (bytes[at] === repaired[at]) at++
  while (isContinuation(repaired[at])) at--
  return at
}

/** Whether a byte continues a UTF-8 sequence that an earlier byte begins. */
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80

/** Views bytes as a `Buffer` over the same memory, without copying them. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
