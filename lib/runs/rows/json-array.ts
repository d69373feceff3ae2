import * as E from 'fp-ts/Either'
import { itemsIn, type JsonValue } from '../../codec/json/json'
import { bufferOf, maxDocumentBytes, parseJson, parseText } from '../../codec/json/parse'

/** An element of a JSON array, which is a row, with the line on which it begins. */
export interface ArrayElement {
  readonly value: JsonValue
  readonly line: number
}

/** The content of a file that may be a JSON array: its elements, or the chunks of a file of lines. */
export type ArrayOrLines =
  | { readonly elements: ReadonlyArray<ArrayElement> }
  | { readonly chunks: AsyncIterable<Uint8Array> }

/**
 * Reads a file in UTF-8 that is either one JSON array, whose elements are the rows, or JSON lines, whose first one may be an array too.
 * Fails with a message if it is an array that is invalid or larger than 16 MiB.
 */
export const readArrayOrLines = async (
  chunks: AsyncIterator<Uint8Array>,
): Promise<E.Either<string, ArrayOrLines>> => {
  const chunksRead: Buffer[] = []
  let size = 0
  let mayBeArray: boolean | undefined
  while (mayBeArray !== false && size <= maxDocumentBytes) {
    const next = await chunks.next()
    if (next.done) return readWhole(Buffer.concat(chunksRead))
    const chunk = bufferOf(next.value)
    chunksRead.push(chunk)
    size += chunk.length
    mayBeArray ??= beginsWithBracket(chunk)
  }
  if (mayBeArray && !hasArrayLine(Buffer.concat(chunksRead)))
    return E.left(
      `it is a JSON array of more than ${maxDocumentBytes >> 20} MiB: write its elements as lines with jq -c '.[]'`,
    )
  return E.right({ chunks: continueChunks(chunksRead, chunks) })
}

/** Returns `true` if a text begins with `[` after whitespace; `undefined` if it is only whitespace. */
const beginsWithBracket = (bytes: Buffer): boolean | undefined => {
  const first = /[^ \t\r\n]/.exec(bytes.toString('latin1'))?.[0]
  return first === undefined ? undefined : first === '['
}

const readWhole = (bytes: Buffer): E.Either<string, ArrayOrLines> => {
  const lines: ArrayOrLines = { chunks: continueChunks([bytes]) }
  if (!beginsWithBracket(bytes)) return E.right(lines)
  const parsed = parseJson(bytes)
  if (E.isRight(parsed)) {
    const items = itemsIn(parsed.right)
    const lineNumbers = findElementLines(bytes)
    return E.right({
      elements: items.map((value, index) => ({ value, line: lineNumbers[index] ?? 1 })),
    })
  }
  return hasArrayLine(bytes) ? E.right(lines) : E.left(`invalid JSON: ${parsed.left.message}`)
}

/** Returns `true` if the first line that is not blank is an array by itself, so that the file has one on each line. */
const hasArrayLine = (bytes: Buffer): boolean => {
  const start = bytes.indexOf('[')
  const end = bytes.indexOf('\n', start)
  return end >= 0 && E.isRight(parseText(bytes.toString('utf8', start, end)))
}

const newline = 0x0a
const blank = 0x20
const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const backslash = 0x5c
const bracketEnd = 0x5d

/** The number of levels by which the text after a byte is deeper. */
const depthChanges = new Int8Array(256)
for (const opening of Buffer.from('[{')) depthChanges[opening] = 1
for (const closing of Buffer.from(']}')) depthChanges[closing] = -1

/** Finds the lines on which the elements of a valid array begin. */
const findElementLines = (bytes: Buffer): ReadonlyArray<number> => {
  const lines: number[] = []
  let line = 1
  let depth = 0
  /** `true` if the next character that is not whitespace begins an element, or ends an empty array. */
  let isExpected = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number
    if (byte === newline) line += 1
    // Of the whitespace in JSON, the blank has the highest code.
    if (byte <= blank) continue
    if (isExpected && byte !== bracketEnd) lines.push(line)
    depth += depthChanges[byte] as number
    isExpected = depth === 1 && (byte === comma || byte === bracket)
    if (byte === quote) index = findStringEnd(bytes, index)
  }
  return lines
}

/** Finds the quote that ends the string that begins at `start`. */
const findStringEnd = (bytes: Buffer, start: number): number => {
  for (let index = start + 1; ; index++) {
    if (bytes[index] === backslash) index += 1
    else if (bytes[index] === quote || index >= bytes.length) return index
  }
}

async function* continueChunks(
  chunksRead: ReadonlyArray<Uint8Array>,
  remaining?: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunksRead
  if (remaining !== undefined) yield* { [Symbol.asyncIterator]: () => remaining }
}
