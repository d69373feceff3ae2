import { promisify } from 'node:util'
import * as E from 'fp-ts/Either'
import { type Failure, invalidResponse } from '../failure/failure'
import { largestDocument } from '../json/largest-document'
import { codeOf } from '../runtime/reason'
import type { FetchResponse } from '../runtime/runtime'
import { bodyCutOff } from './connection-failure'

/** The most encodings that are taken off one body: each can make it a thousand times as long. D50 */
const mostEncodings = 5

/**
 * A whole body without its content encodings, at most 16 MiB after each. What does not fit its encoding is an invalid
 * response. So is what stops in the middle of it, but for a body that the end of the connection ended: that one may
 * have been cut off on the way. Throws the reason of `signal` as soon as that fires. D46, D50
 */
export const decodeBody = async (
  body: Uint8Array,
  { header, endsWithConnection }: FetchResponse,
  host: string,
  signal: AbortSignal,
): Promise<E.Either<Failure, Uint8Array>> => {
  const encodings = (header('content-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity')
  if (encodings.length > mostEncodings)
    return invalid(`more than ${mostEncodings} content encodings`)
  const over = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  let decoded = body
  for (const encoding of encodings.reverse()) {
    const decode = await decoderOf(encoding, decoded)
    if (decode === undefined)
      return invalid(`the content encoding ${JSON.stringify(encoding)} is not known`)
    signal.throwIfAborted()
    try {
      // An empty body is left as it is: zlib would report truncation.
      if (decoded.length > 0) {
        const rest = decode(decoded, { maxOutputLength: largestDocument })
        // Nothing comes where the time is up first.
        decoded = (await Promise.race([rest, over])) ?? decoded
      }
    } catch (error) {
      const code = codeOf(error)
      if (code === 'ERR_BUFFER_TOO_LARGE') return E.left(tooLarge)
      if (code === 'Z_BUF_ERROR' && endsWithConnection) return E.left(bodyCutOff(host))
      return invalid(`the body is not valid ${encoding}`)
    }
    signal.throwIfAborted()
  }
  return E.right(decoded)
}

/** A body of more than 16 MiB. D6 */
export const tooLarge = invalidResponse('', 'response exceeds 16 MiB')

const invalid = (cause: string): E.Either<Failure, never> => E.left(invalidResponse('', cause))

/** `undefined` for an encoding that is not known. */
const decoderOf = async (encoding: string, body: Uint8Array) => {
  const zlib = await import('node:zlib')
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return promisify(zlib.gunzip)
    case 'deflate':
    case 'x-deflate':
      // Some servers leave out the zlib header, the first byte of which ends in 8.
      return promisify(((body[0] ?? 0) & 0x0f) === 8 ? zlib.inflate : zlib.inflateRaw)
    case 'br':
      return promisify(zlib.brotliDecompress)
    default:
      return undefined
  }
}
