import { promisify } from 'node:util'
import * as E from 'fp-ts/Either'
import { type Failure, invalidResponse } from '../../failure/failure'
import { codeOf } from '../../runtime/node/error-reason'
import type { Ending, FetchResponse } from '../../runtime/runtime'
import { bodyCutOff } from './connection-failure'

/** The most content encodings of one body. Decoding each can make it a thousand times as long. D50 */
const mostEncodings = 5

/**
 * Decodes the content encodings of a complete body, up to `most` bytes after each. A body that is broken or cut short
 * is an invalid response. The exception is a cut body whose end only the closing of the connection marked: it
 * may have been cut by the network, so that is a connection failure. Throws when `ending` does. D46, D50
 */
export const undoEncodings = async (
  body: Uint8Array,
  { header, endsWithConnection }: FetchResponse,
  { url, most, ending }: { readonly url: string; readonly most: number; readonly ending: Ending },
): Promise<E.Either<Failure, Uint8Array>> => {
  const encodings = (header('content-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
  if (encodings.length === 0) return E.right(body)
  if (encodings.length > mostEncodings)
    return invalid(`more than ${mostEncodings} content encodings`)
  const { signal } = ending
  const over = new Promise<undefined>((resolve) => ending.whenOver(() => resolve(undefined)))
  let decoded = body
  for (const encoding of encodings.reverse()) {
    const decode = await decoderOf(encoding, decoded)
    if (decode === undefined)
      return invalid(`the content encoding ${JSON.stringify(encoding)} is not known`)
    signal.throwIfAborted()
    try {
      // An empty body is not decoded: zlib would report truncation.
      if (decoded.length > 0) {
        const rest = decode(decoded, { maxOutputLength: most })
        // `over` resolves to `undefined` when the signal fires first.
        decoded = (await Promise.race([rest, over])) ?? decoded
      }
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ERR_BUFFER_TOO_LARGE') return E.left(tooLarge(most))
      if (code === 'Z_BUF_ERROR' && endsWithConnection) return E.left(bodyCutOff(new URL(url).host))
      return invalid(`the body is not valid ${encoding}`)
    }
    signal.throwIfAborted()
  }
  return E.right(decoded)
}

/** The failure for a body of more than `most` bytes, a whole number of KiB. D6 */
export const tooLarge = (most: number): Failure =>
  invalidResponse(
    '',
    `response exceeds ${most < 1 << 20 ? `${most >> 10} KiB` : `${most >> 20} MiB`}`,
  )

const invalid = (cause: string): E.Either<Failure, never> => E.left(invalidResponse('', cause))

/** Returns the decoder of an encoding; `undefined` for an unknown one. zlib is loaded only when it is needed. */
const decoderOf = async (encoding: string, body: Uint8Array) => {
  const zlib = await import('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return promisify(zlib.gunzip)
    case 'deflate':
    case 'x-deflate':
      // Some servers send deflate data without the zlib header, whose first byte ends in the digit 8.
      return promisify(((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflate : zlib.inflateRaw)
    case 'br':
      return promisify(zlib.brotliDecompress)
    default:
      return undefined
  }
}
