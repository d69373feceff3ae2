import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import type { Clock } from '../../runtime/runtime'
import {
  bodyTooLarge,
  bodyTooSlow,
  invalidHttp,
  noRoom,
  type Problem,
  unsupportedMedia,
} from '../contract/problem'
import type { HeldBytes } from '../limits/held-bytes'

/** The limits for reading request bodies. */
interface BodyLimits {
  readonly clock: Clock
  /** The most bytes of one body: `--max-body`. D80 */
  readonly maxBody: number
  /** Time for one whole body, in milliseconds. */
  readonly readMs: number
  /** Counts the bytes of a body until its request is answered. */
  readonly held: HeldBytes
}

/**
 * Reads a request's body to its end. Tells a caller that waits for `100 Continue` to go on. `none` where the
 * caller disconnected before the body was complete. Never rejects.
 */
export type ReadBody = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => Promise<E.Either<Problem, O.Option<Buffer>>>

/**
 * A body may arrive in this many pieces of any size. More pieces must hold 64 bytes each on average, because every piece
 * costs the same work however small it is. A network delivers pieces of about 1,400 bytes.
 */
const freePieces = 1000
const leastPiece = 64
const tooManyPieces: Problem = invalidHttp('the request body comes in too many pieces')

/**
 * Reads bodies within the limits. The bytes of a body count as held from the moment they arrive until the
 * response is closed, or until the body is refused. The rest of a refused body is not read here.
 */
export const bodyReader =
  ({ clock, maxBody, readMs, held }: BodyLimits): ReadBody =>
  (incoming, outgoing) => {
    if (Number(incoming.headers['content-length'] ?? 0) > maxBody)
      return Promise.resolve(E.left(bodyTooLarge(maxBody)))
    if (waitsForContinue(incoming)) outgoing.writeContinue()
    return new Promise((resolve) => {
      let bytes: Buffer = Buffer.alloc(0)
      let size = 0
      let pieces = 0
      const release = (): void => {
        held.release(size)
      }
      const stop = (): void => {
        stopTimer()
        incoming.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      }
      const refuse = (result: E.Either<Problem, O.Option<Buffer>>): void => {
        stop()
        release()
        incoming.on('error', () => undefined).pause()
        resolve(result)
      }
      const onData = (chunk: Buffer): void => {
        if (size + chunk.length > maxBody) {
          refuse(E.left(bodyTooLarge(maxBody)))
          return
        }
        bytes = append(bytes, size, chunk, maxBody)
        size += chunk.length
        pieces += 1
        held.add(chunk.length)
        if (!held.hasRoom(0)) refuse(E.left(noRoom))
        else if (pieces > freePieces && size < pieces * leastPiece) refuse(E.left(tooManyPieces))
      }
      const onEnd = (): void => {
        stop()
        outgoing.once('close', release)
        resolve(E.right(O.some(bytes.subarray(0, size))))
      }
      const onGone = (): void => refuse(E.right(O.none))
      const stopTimer = clock.timer(readMs, () => refuse(E.left(bodyTooSlow)))
      incoming.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
      if (incoming.destroyed && !incoming.readableEnded) onGone()
    })
  }

/** Only HTTP/1.1 has `100 Continue`: a caller of HTTP/1.0 would take it for the answer. RFC 9110, 10.1.1 */
const waitsForContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue'

/**
 * Writes a piece behind the first `size` bytes of a buffer and returns the buffer, or a copy of it that is twice as large
 * where the piece does not fit. So bodies in small pieces take little more memory than their bytes.
 */
const append = (buffer: Buffer, size: number, piece: Buffer, most: number): Buffer => {
  const total = size + piece.length
  if (total > buffer.length)
    return Buffer.concat(
      [buffer.subarray(0, size), piece],
      Math.max(total, Math.min(2 * size, most)),
    )
  piece.copy(buffer, size)
  return buffer
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i

/**
 * Refuses with 415 a body that is compressed, or is not JSON in UTF-8 by its content type. A body without a
 * content type is taken for JSON. D37
 */
export const checkMediaType = (headers: IncomingMessage['headers']): Problem | undefined => {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    return unsupportedMedia('Content-Encoding must be identity', { 'Accept-Encoding': 'identity' })
  }
  const given = headers['content-type']
  if (given === undefined) return undefined
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim())
  if (!jsonType.test(type)) return unsupportedMedia('Content-Type must be application/json')
  const charset = parameters.find((p) => /^charset=/i.test(p))?.slice('charset='.length)
  return charset === undefined || /^"?utf-?8"?$/i.test(charset)
    ? undefined
    : unsupportedMedia('the charset of a JSON document must be UTF-8')
}
