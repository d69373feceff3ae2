import { bufferOf } from '../../codec/json/parse'

/** The encoding and delimiter of an input. */
export interface TextForm {
  /**
   * A label that `TextDecoder` knows; `undefined` means UTF-8. As in the WHATWG Encoding standard, a byte order mark overrides it.
   * So the same `--encoding` works for a table from Windows and for one that svc wrote in UTF-8 with a byte order mark.
   */
  readonly encoding?: string | undefined
  /** The character between two fields of CSV; `undefined` guesses it from the header. */
  readonly delimiter?: string | undefined
}

/** An input cannot be decoded. Users see the message. */
export class TextFault extends Error {}

/** Converts a chunk to UTF-8. Without a chunk, ends the input and returns what remains of it. */
type ChunkDecoder = (chunk?: Uint8Array) => Uint8Array

/**
 * Converts an input to UTF-8. Rejects with a `TextFault` if it is an Excel workbook or invalid in its encoding. Does not check an
 * input in UTF-8, because the readers of rows report invalid UTF-8 for each row.
 */
export async function* decodeChunks(
  chunks: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let decode: ChunkDecoder | undefined
  let start: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (decode === undefined) {
      start = start.length === 0 ? bufferOf(chunk) : Buffer.concat([start, chunk])
      if (isTooShortToTell(start)) continue
      decode = createDecoder(start, encoding)
      yield decode(start)
    } else yield decode(chunk)
  }
  // The input ended while its start was too short to tell.
  if (decode === undefined) {
    decode = createDecoder(start, encoding)
    yield decode(start)
  }
  yield decode()
}

/** The first bytes of an `.xlsx` file, which is a ZIP archive, and of an `.xls` file. */
const workbookSignatures = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])]

const byteOrderMarks = [
  { label: 'utf-8', mark: Buffer.from([0xef, 0xbb, 0xbf]) },
  { label: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { label: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
]

/** Returns `true` if an input with this start may still turn out to be a workbook, or to begin with a byte order mark. */
const isTooShortToTell = (start: Buffer): boolean =>
  [...workbookSignatures, ...byteOrderMarks.map(({ mark }) => mark)].some(
    (signature) => start.length < signature.length && startsWith(signature, start),
  )

const startsWith = (bytes: Buffer, start: Uint8Array): boolean =>
  bytes.subarray(0, start.length).equals(start)

/** Creates the decoder of an input that begins with `start`. Throws a `TextFault` if the input is an Excel workbook. */
const createDecoder = (start: Buffer, encodingFlag: string | undefined): ChunkDecoder => {
  if (workbookSignatures.some((signature) => startsWith(start, signature)))
    throw new TextFault('this is an Excel workbook: save it as "CSV UTF-8" and pass that file')
  const label =
    byteOrderMarks.find(({ mark }) => startsWith(start, mark))?.label ?? encodingFlag ?? 'utf-8'
  const { encoding } = new TextDecoder(label)
  if (encoding === 'utf-8') return (chunk = Buffer.alloc(0)) => chunk
  if (encoding === 'windows-1252')
    return (chunk = Buffer.alloc(0)) => Buffer.from(decodeWindows1252(bufferOf(chunk)))
  return createStrictDecoder(encoding)
}

/** Creates a decoder that throws a `TextFault` with the line of the first invalid character. */
const createStrictDecoder = (encoding: string): ChunkDecoder => {
  const decoder = new TextDecoder(encoding)
  let line = 1
  return (chunk) => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    // TextDecoder replaces invalid bytes by U+FFFD. A U+FFFD that the text itself has is refused too.
    const faultOffset = text.indexOf('\ufffd')
    const validText = faultOffset < 0 ? text : text.slice(0, faultOffset)
    line += validText.split('\n').length - 1
    if (faultOffset >= 0) throw new TextFault(`line ${line}: the text is not valid ${encoding}`)
    return Buffer.from(text)
  }
}

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
