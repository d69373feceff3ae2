import { promisify } from 'node:util'
import zlib from 'node:zlib'
import * as E from 'fp-ts/Either'
import { bufferOf } from '../../codec/json/parse'
import { codeOf } from '../../runtime/node/error-reason'
import { bodyTooLarge, invalidEncoding, type Problem } from '../contract/problem'

/**
 * Decodes a body. Rejects with the code `ERR_BUFFER_TOO_LARGE` if it is longer than `maxBytes`, and with any other error if it is
 * invalid.
 */
type Decode = (body: Uint8Array, maxBytes: number) => Promise<Uint8Array>

const tooLargeCode = 'ERR_BUFFER_TOO_LARGE'

const gunzip = promisify(zlib.gunzip)
const inflate = promisify(zlib.inflate)
const inflateRaw = promisify(zlib.inflateRaw)
const brotliDecompress = promisify(zlib.brotliDecompress)

const decodeGzip: Decode = (body, maxBytes) => gunzip(body, { maxOutputLength: maxBytes })

/** Returns true if a body begins with the header of zlib (RFC 1950), which some clients leave out of `deflate`. */
const hasZlibHeader = (body: Uint8Array): boolean =>
  body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && bufferOf(body).readUInt16BE() % 31 === 0

/** The decoders of `Content-Encoding`, by the name of the encoding. `x-gzip` is an old name (RFC 9110, 8.4.1.3). */
const decoders: ReadonlyMap<string, Decode> = new Map([
  ['identity', async (body) => body],
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  [
    'deflate',
    (body, maxBytes) =>
      (hasZlibHeader(body) ? inflate : inflateRaw)(body, { maxOutputLength: maxBytes }),
  ],
  ['br', (body, maxBytes) => brotliDecompress(body, { maxOutputLength: maxBytes })],
  ['zstd', (body, maxBytes) => decodeZstd(body, maxBytes)],
])

/** The encodings that a body may have, for the header `Accept-Encoding` and for messages. */
export const acceptedEncodings = 'gzip, deflate, br, zstd'

/** Parses a `Content-Encoding` header: the name of the encoding in lower case. A missing header means `identity`. */
export const parseEncoding = (header: string | undefined): string =>
  header?.trim().toLowerCase() || 'identity'

/** Returns true if the service decodes bodies with this encoding. */
export const isKnownEncoding = (encoding: string): boolean => decoders.has(encoding)

/** Decodes a body with a known encoding. Fails with 413 if the decoded body exceeds `maxBytes`, and with 400 if it is invalid. */
export const decodeBody = async (
  body: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<E.Either<Problem, Uint8Array>> => {
  const decode = decoders.get(encoding)
  if (decode === undefined) return E.left(invalidEncoding(encoding))
  try {
    return E.right(await decode(body, maxBytes))
  } catch (error) {
    const isTooLarge = codeOf(error) === tooLargeCode
    return E.left(isTooLarge ? bodyTooLarge(maxBytes) : invalidEncoding(encoding))
  }
}

/** The part of Node's zlib that Node 20 does not have. Node's types of that version leave it out. */
interface NodeZstd {
  readonly zstdDecompress?: (
    body: Uint8Array,
    options: { readonly maxOutputLength: number; readonly params: Record<number, number> },
    callback: (error: Error | null, result: Uint8Array) => void,
  ) => void
  readonly constants: Readonly<Record<string, number>>
}

/** The maximum window that a body may ask for: 32 MiB, the highest `--max-body`. Node's default is 128 MiB. */
const maxWindowLog = 25

const decodeZstd: Decode = async (body, maxBytes) => {
  const { zstdDecompress, constants }: NodeZstd = zlib
  const { ZSTD_d_windowLogMax: windowLogMax } = constants
  if (zstdDecompress === undefined || windowLogMax === undefined) {
    // Loaded only when it is needed, because it is large.
    const { decodeZstdByPackage } = await import('./decode-zstd')
    return decodeZstdByPackage(body, maxBytes)
  }
  const options = { maxOutputLength: maxBytes, params: { [windowLogMax]: maxWindowLog } }
  return promisify(zstdDecompress)(body, options)
}
