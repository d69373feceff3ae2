import { isUtf8 } from 'node:buffer'
import * as E from 'fp-ts/Either'
import type { JsonValue } from './json'
import { Parser } from './parser'

/** The maximum size of a request or response document. The code that reads a document checks it, not the parser. */
export const maxDocumentBytes = 16 << 20

/** The message for a document that is larger than `maxDocumentBytes`. */
export const tooLargeMessage = 'exceeds 16 MiB'

/** The reason why a text is not JSON. The first line is 1, and so is the first column. Columns are characters. */
interface JsonSyntaxError {
  readonly line: number
  readonly column: number
  /** `true` if the text ends too early, perhaps because it was cut off. */
  readonly isIncomplete: boolean
  /** The cause, such as `expected a value, found "x"`. It contains at most one character of the document. */
  readonly cause: string
  /** The line, the column and the cause in one text. */
  readonly message: string
}

/**
 * Parses a JSON document by RFC 8259, in UTF-8, with at most 1,000 levels. Skips a byte order mark. A repeated key has its last
 * value, at the position of its first. Fails if there are more than `maxContainers` objects and arrays, because an empty one takes
 * only 2 bytes of text but about 200 bytes of memory.
 */
export const parseJson = (
  input: Uint8Array,
  maxContainers?: number,
): E.Either<JsonSyntaxError, JsonValue> => {
  const bytes = bufferOf(input)
  if (isUtf8(bytes)) return parseText(bytes.toString(), maxContainers)
  const invalidOffset = findInvalidByte(bytes)
  const hex = (bytes[invalidOffset] as number).toString(16)
  const validText = bytes.toString('utf8', 0, invalidOffset)
  const cause = `invalid UTF-8 at byte 0x${hex}`
  return E.left(createSyntaxError(validText, validText.length, { isIncomplete: false, cause }))
}

/** Parses a JSON document like `parseJson`, but from a decoded text. */
export const parseText = (
  text: string,
  maxContainers = Number.POSITIVE_INFINITY,
): E.Either<JsonSyntaxError, JsonValue> => {
  const parser = new Parser(text, findTextStart(text), maxContainers)
  const value = parser.parseDocument()
  if (value !== undefined) return E.right(value)
  const { offset, expected } = parser
  const cause = `expected ${expected}, found ${describeCharacter(text, offset)}`
  return E.left(createSyntaxError(text, offset, { isIncomplete: offset >= text.length, cause }))
}

/** Creates the error at `offset` of a text. */
const createSyntaxError = (
  text: string,
  offset: number,
  { isIncomplete, cause }: Pick<JsonSyntaxError, 'isIncomplete' | 'cause'>,
): JsonSyntaxError => {
  const { line, column } = findLineAndColumn(text, offset)
  return { line, column, isIncomplete, cause, message: `line ${line}, column ${column}: ${cause}` }
}

const findLineAndColumn = (text: string, offset: number) => {
  let line = 1
  let lineStart = findTextStart(text)
  for (;;) {
    const newline = text.indexOf('\n', lineStart)
    if (newline === -1 || newline >= offset) break
    line++
    lineStart = newline + 1
  }
  let column = 1
  // The two surrogates of a character count as one column.
  for (let i = lineStart; i < offset; i++) if (!isLowSurrogate(text.charCodeAt(i))) column++
  return { line, column }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** Returns the offset of the first character after a byte order mark. */
const findTextStart = (text: string): number => (text.charCodeAt(0) === 0xfeff ? 1 : 0)

/** Describes the character at `offset`: printable ASCII in quotes, any other as `U+00E9`. */
const describeCharacter = (text: string, offset: number): string => {
  const code = text.codePointAt(offset)
  if (code === undefined) return 'the end of the document'
  if (code === 0x22) return "'\"'"
  if (code >= 0x20 && code < 0x7f) return `"${String.fromCodePoint(code)}"`
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Returns the length of the UTF-8 byte order mark of a text, in bytes: 3, or 0 if there is none. */
export const measureByteOrderMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0

/** Returns the offset of the first byte that is not valid UTF-8, or the length if all are valid. */
export const findInvalidByte = (bytes: Uint8Array): number => {
  if (isUtf8(bytes)) return bytes.length
  // Decoding replaces invalid bytes by U+FFFD. Its bytes EF BF BD may begin like the invalid bytes.
  const repaired = Buffer.from(bufferOf(bytes).toString())
  let offset = 0
  while (bytes[offset] === repaired[offset]) offset++
  // The first difference may be inside the bytes of a U+FFFD, so go back to the first of them.
  while (isContinuation(repaired[offset])) offset--
  return offset
}

/** Returns `true` for every byte of a character in UTF-8 except the first: 10xxxxxx in binary. */
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80

/** Views bytes as a `Buffer` over the same memory, without copying them. */
export const bufferOf = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
