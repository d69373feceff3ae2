import type { Readable, Transform } from 'node:stream'
import { chunksOf } from './chunks'
import { transportError } from './transport-error'

/**
 * The body with its content encodings taken off. Rejects with a `contentEncoding`
 * transport error when the bytes do not fit, and with zlib's `Z_BUF_ERROR` when they end early.
 */
export const decoded = (body: Readable, encoding: string | null): AsyncIterable<Uint8Array> => {
  const codings = (encoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  return codings.length === 0 ? chunksOf(body) : decode(body, codings.reverse())
}

async function* decode(body: Readable, codings: ReadonlyArray<string>): AsyncGenerator<Uint8Array> {
  const { pipeline } = await import('node:stream')
  let last = body
  for (const coding of codings) {
    const first = await firstByte(last)
    // Nothing encodes nothing.
    if (first === undefined) break
    const decoder = await createDecoder(coding, first)
    last = pipeline(last, decoder, () => undefined)
  }
  try {
    yield* last
  } catch (error) {
    throw isDataError(error) ? refused(`the body is not valid ${codings.join(', ')}`) : error
  }
}

const createDecoder = async (coding: string, first: number): Promise<Transform> => {
  const zlib = await import('node:zlib')
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip()
    case 'deflate':
    case 'x-deflate':
      // Some servers send it without the zlib header, whose first byte ends in 8.
      return (first & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()
    case 'br':
      return zlib.createBrotliDecompress()
    default:
      throw refused(`the content encoding ${JSON.stringify(coding)} is not known`)
  }
}

/** Looks at the first byte and puts it back; `undefined` when there is none, or an error is to come. */
const firstByte = (body: Readable): Promise<number | undefined> =>
  new Promise((resolve) => {
    const settle = () => {
      const chunk: Uint8Array | null = body.destroyed ? null : body.read()
      if (chunk !== null) body.unshift(chunk)
      for (const event of ['readable', 'end', 'error', 'close']) body.off(event, settle)
      resolve(chunk?.[0])
    }
    // What happened before is not told again.
    if (body.destroyed) settle()
    else for (const event of ['readable', 'end', 'error', 'close']) body.on(event, settle)
  })

const refused = (message: string): Error => transportError('contentEncoding', message)

/** zlib's and brotli's complaints about bytes, other than that they end too early. */
const isDataError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(?:Z_(?!BUF_ERROR)|ERR__)/.test(error.code)
