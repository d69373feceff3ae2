import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import { largestDocument } from '../../json/largest-document'
import type { Clock } from '../../runtime/runtime'
import { atCapacity, bodyTooLarge, bodyTooSlow, type Problem } from '../problem'

/** How bodies are read. */
export interface BodyLimits {
  readonly clock: Clock
  /** Time for one whole body, in milliseconds. */
  readonly readMs: number
  /** Bytes of the bodies of all requests that are not answered yet, together. */
  readonly maxHeld: number
}

/**
 * Reads one request's body to its end; tells a caller that waits for `100 Continue` to go on. `none` where
 * the caller went away before the body was complete. Never rejects.
 */
export type ReadBody = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => Promise<E.Either<Problem, O.Option<Buffer>>>

const noRoom: Problem = atCapacity('The service has no room for another request body.', 1000)

/**
 * Reads bodies within the limits. A body counts as held from its first byte until its response is
 * closed, or until it is refused; what a refused caller still sends is not read.
 */
export const bodyReader = ({ clock, readMs, maxHeld }: BodyLimits): ReadBody => {
  let held = 0
  return (incoming, outgoing) => {
    if (Number(incoming.headers['content-length'] ?? 0) > largestDocument) {
      return Promise.resolve(E.left(bodyTooLarge))
    }
    if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue()
    return new Promise((resolve) => {
      const chunks: Array<Buffer> = []
      let size = 0
      const release = (): void => {
        held -= size
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
        chunks.push(chunk)
        size += chunk.length
        held += chunk.length
        if (size > largestDocument) refuse(E.left(bodyTooLarge))
        else if (held > maxHeld) refuse(E.left(noRoom))
      }
      const onEnd = (): void => {
        stop()
        outgoing.once('close', release)
        resolve(E.right(O.some(Buffer.concat(chunks))))
      }
      const onGone = (): void => refuse(E.right(O.none))
      const stopTimer = clock.timer(readMs, () => refuse(E.left(bodyTooSlow)))
      incoming.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
      if (incoming.destroyed && !incoming.readableEnded) onGone()
    })
  }
}
