import * as E from 'fp-ts/Either'
import {
  createUtf16Decoder,
  encodeUtf16,
  explainUnmarkedUtf16,
  findUtf16Mark,
  type Utf16,
  utf16MarkBytes,
} from './utf16'

/** An input cannot be decoded. Users see the message. */
export class TextFault extends Error {}

/** Converts a chunk to UTF-8. Without a chunk, ends the input and returns what remains of it. Throws a `TextFault`. */
type ChunkDecoder = (chunk?: Buffer) => Uint8Array

/** An encoding, and the size of the byte order mark before the text. */
interface DetectedEncoding {
  /** The name by which `TextDecoder` calls it, such as `utf-8`. */
  readonly encoding: string
  readonly markBytes: number
}

/**
 * Converts an input to UTF-8, without its byte order mark. `encoding` is a label that `TextDecoder` knows; `undefined` means UTF-8. As
 * in the WHATWG Encoding standard, a byte order mark overrides it. So the same `--encoding` works for a table from Windows and for one
 * that svc wrote in UTF-8 with a byte order mark.
 *
 * Rejects with a `TextFault` if the input is an Excel workbook, UTF-16 without a mark, or invalid in its encoding. Does not check an
 * input in UTF-8, because the readers of rows report invalid UTF-8 for each row.
 */
export async function* decodeChunks(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let decode: ChunkDecoder | undefined
  let start: Buffer = noBytes
  const beginDecoding = (): Uint8Array => {
    const detected = detectEncoding(start, encoding)
    decode = createDecoder(detected.encoding)
    return decode(start.subarray(detected.markBytes))
  }
  for await (const chunk of chunks) {
    const bytes = viewBytes(chunk)
    if (decode !== undefined) {
      yield decode(bytes)
      continue
    }
    start = start.length === 0 ? bytes : Buffer.concat([start, bytes])
    if (!isTooShortToTell(start)) yield beginDecoding()
  }
  // The input ended while its start was too short to tell.
  if (decode === undefined) yield beginDecoding()
  yield (decode as unknown as ChunkDecoder)()
}

const noBytes = Buffer.alloc(0)

const viewBytes = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The first bytes of an `.xlsx` file, which is a ZIP archive, and of an `.xls` file. */
const workbookSignatures = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])]

const utf8Mark = Buffer.from('\ufeff')

/** The number of bytes that tell any encoding. */
const sufficientBytes = 4

/** The signatures of workbooks, and byte order marks. */
const signatures = [
  ...workbookSignatures,
  utf8Mark,
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xfe, 0xff]),
]

/**
 * Returns `true` if more bytes may still tell that an input is a workbook, has a byte order mark or is UTF-16. svc reads no more than
 * necessary, because a pipe may send the next row much later.
 */
const isTooShortToTell = (start: Buffer): boolean =>
  start.length < sufficientBytes &&
  (start.length < 2 ||
    start.includes(0) ||
    signatures.some((signature) => startsWith(signature, start)))

const startsWith = (bytes: Buffer, start: Uint8Array): boolean =>
  bytes.subarray(0, start.length).equals(start)

/** Finds the encoding of an input that begins with `start`. Throws a `TextFault` if it is a workbook or UTF-16 without a mark. */
const detectEncoding = (start: Buffer, flag: string | undefined): DetectedEncoding => {
  if (workbookSignatures.some((signature) => startsWith(start, signature)))
    throw new TextFault('this is an Excel workbook: save it as "CSV UTF-8" and pass that file')
  if (startsWith(start, utf8Mark)) return { encoding: 'utf-8', markBytes: utf8Mark.length }
  const utf16 = findUtf16Mark(start)
  if (utf16 !== undefined) return { encoding: utf16, markBytes: utf16MarkBytes }
  const { encoding } = new TextDecoder(flag ?? 'utf-8')
  const fault = isUtf16(encoding) ? undefined : explainUnmarkedUtf16(start)
  if (fault !== undefined) throw new TextFault(fault)
  return { encoding, markBytes: 0 }
}

const isUtf16 = (encoding: string): encoding is Utf16 =>
  encoding === 'utf-16le' || encoding === 'utf-16be'

const createDecoder = (encoding: string): ChunkDecoder => {
  if (encoding === 'utf-8') return (chunk = noBytes) => chunk
  if (encoding === 'windows-1252') return (chunk = noBytes) => Buffer.from(decodeWindows1252(chunk))
  return createStrictDecoder(encoding, createTextDecoder(encoding))
}

/** Converts a chunk to text. Without a chunk, ends the input. Fails with the valid text before the first fault. */
const createTextDecoder = (encoding: string) => {
  if (isUtf16(encoding)) return createUtf16Decoder(encoding)
  const decoder = new TextDecoder(encoding)
  return (chunk: Buffer | undefined): E.Either<string, string> => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    // TextDecoder replaces invalid bytes by U+FFFD, which these encodings do not have.
    const faultOffset = text.indexOf('\ufffd')
    return faultOffset < 0 ? E.right(text) : E.left(text.slice(0, faultOffset))
  }
}

/** Creates a decoder that throws a `TextFault` with the line of the first invalid character. */
const createStrictDecoder = (
  encoding: string,
  decode: (chunk: Buffer | undefined) => E.Either<string, string>,
): ChunkDecoder => {
  let line = 1
  let endsInReturn = false
  return (chunk) => {
    const text = decode(chunk)
    const validText = E.toUnion(text)
    line += countLineEnds(validText)
    // A carriage return and a newline are one line break.
    if (endsInReturn && validText.startsWith('\n')) line -= 1
    if (validText !== '') endsInReturn = validText.endsWith('\r')
    if (E.isLeft(text)) throw new TextFault(`line ${line}: the text is not valid ${encoding}`)
    return Buffer.from(text.right)
  }
}

const countLineEnds = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

/** The 32 characters 0x80 to 0x9F of windows-1252, by the WHATWG Encoding standard. Node 20 decodes them as control characters. */
const windows1252Characters =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

const decodeWindows1252 = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(
      /[\u0080-\u009f]/g,
      (control) => windows1252Characters[control.charCodeAt(0) - 0x80] as string,
    )

/** A whole text in UTF-8, and what is needed to write it in its own encoding again. */
export interface DecodedText {
  readonly utf8: Buffer
  /** The name by which `TextDecoder` calls the encoding. */
  readonly encoding: string
  /** The byte order mark of the file; empty if it has none. */
  readonly mark: Buffer
}

/** Decodes a whole text as `decodeChunks` does. Fails with a message. */
export const decodeWhole = (
  bytes: Buffer,
  encodingFlag: string | undefined,
): E.Either<string, DecodedText> => {
  try {
    const { encoding, markBytes } = detectEncoding(bytes, encodingFlag)
    const decode = createDecoder(encoding)
    const utf8 = Buffer.concat([decode(bytes.subarray(markBytes)), decode()])
    return E.right({ utf8, encoding, mark: bytes.subarray(0, markBytes) })
  } catch (error) {
    if (error instanceof TextFault) return E.left(error.message)
    throw error
  }
}

/** Encodes a text. Fails with a message about the first character that the encoding does not have. */
export type EncodeText = (text: string) => E.Either<string, Buffer>

/** Creates the function that encodes texts, by the name of the encoding. */
export const createEncoder = (encoding: string): EncodeText => {
  if (encoding === 'utf-8') return (text) => E.right(Buffer.from(text))
  if (isUtf16(encoding)) return (text) => E.right(encodeUtf16(text, encoding))
  const bytesByCharacter = listCharacters(encoding)
  return (text) => {
    const parts: Buffer[] = []
    for (const character of text) {
      const bytes = bytesByCharacter.get(character)
      if (bytes === undefined) return E.left(`"${character}" cannot be written in ${encoding}`)
      parts.push(bytes)
    }
    return E.right(Buffer.concat(parts))
  }
}

/** Lists the characters that an encoding writes as one or two bytes, each with its bytes. */
const listCharacters = (encoding: string): ReadonlyMap<string, Buffer> => {
  const bytesByCharacter = new Map<string, Buffer>()
  const decode = (bytes: Buffer): string =>
    encoding === 'windows-1252' ? decodeWindows1252(bytes) : new TextDecoder(encoding).decode(bytes)
  const add = (...values: ReadonlyArray<number>): void => {
    const bytes = Buffer.from(values)
    const characters = [...decode(bytes)]
    const [character = ''] = characters
    const isOneCharacter = characters.length === 1 && character !== '\ufffd'
    if (isOneCharacter && !bytesByCharacter.has(character)) bytesByCharacter.set(character, bytes)
  }
  for (let byte = 0; byte <= 0xff; byte++) add(byte)
  for (let lead = 0x81; lead <= 0xfe; lead++)
    for (let trail = 0x40; trail <= 0xfe; trail++) add(lead, trail)
  return bytesByCharacter
}
