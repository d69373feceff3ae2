import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import { largestDocument } from '../../json/parse'
import type { Clock } from '../../runtime/runtime'
import { bodyTooLarge, bodyTooSlow, invalidHttp, noRoom, type Problem } from '../contract/problem'
import type { Held } from '../limits/held-bytes'
import type { Turns } from './body-turns'

/** The limits for reading request bodies. */
interface BodyLimits {
  readonly clock: Clock
  /** Time for one whole body, in milliseconds. */
  readonly readMs: number
  /** Counts the bytes of bodies until their request is answered. */
  readonly held: Held
  readonly turns: Turns
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
 * The most pieces in which one body may arrive. Each piece costs the same work however small it is, and 16 MiB
 * could arrive byte by byte; over a network that size makes about ten thousand pieces.
 */
const mostPieces = 100_000
const tooManyPieces: Problem = invalidHttp('the request body comes in too many pieces')

/** The first bytes of a body, which are read without waiting for a turn. */
const small = 64 << 10

/** The number of bytes of a body after which memory is reserved for its whole announced length. */
const believed = 1 << 20

/**
 * Returns `buffer`, or a larger copy of it, with space for `more` bytes after the first `size`. The buffer
 * doubles; once 1 MiB has arrived it grows to `announced`, the Content-Length, at once, because copying at
 * every growth takes longer than everything else.
 */
const withSpace = (buffer: Buffer, size: number, more: number, announced: number): Buffer => {
  if (size + more <= buffer.length) return buffer
  const most = announced > 0 ? announced : largestDocument
  const wanted = announced > 0 && size >= believed ? announced : Math.min(2 * buffer.length, most)
  const larger = Buffer.allocUnsafe(Math.max(wanted, size + more))
  buffer.copy(larger, 0, 0, size)
  return larger
}

/**
 * Reads bodies within the limits. The bytes of a body count as held from the moment they arrive until the
 * response is closed, or until the body is refused. The rest of a refused body is not read here.
 */
export const bodyReader =
  ({ clock, readMs, held, turns }: BodyLimits): ReadBody =>
  (incoming, outgoing) => {
    const announced = Number(incoming.headers['content-length'] ?? 0)
    if (announced > largestDocument) {
      return Promise.resolve(E.left(bodyTooLarge))
    }
    if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue()
    return new Promise((resolve) => {
      let bytes: Buffer = Buffer.alloc(0)
      let size = 0
      let pieces = 0
      const release = (): void => {
        held.release(size)
      }
      const stop = (): void => {
        stopTimer()
        turns.leave(incoming)
        incoming.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
      }
      const refuse = (result: E.Either<Problem, O.Option<Buffer>>): void => {
        stop()
        release()
        incoming.on('error', () => undefined).pause()
        resolve(result)
      }
      const onData = (chunk: Buffer): void => {
        bytes = withSpace(bytes, size, chunk.length, announced)
        chunk.copy(bytes, size)
        size += chunk.length
        pieces += 1
        held.add(chunk.length)
        if (size > largestDocument) refuse(E.left(bodyTooLarge))
        else if (pieces > mostPieces) refuse(E.left(tooManyPieces))
        else if (!held.hasRoom(size > small ? held.reserve : 0)) refuse(E.left(noRoom))
        else if (size > small) turns.took(incoming, chunk.length)
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
