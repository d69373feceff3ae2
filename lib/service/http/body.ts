import type { IncomingMessage, ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import { largestDocument } from '../../json/largest-document'
import type { Clock } from '../../runtime/runtime'
import { atCapacity, bodyTooLarge, bodyTooSlow, type Problem } from '../problem'

/** The caller went away before its request was complete. */
export interface Gone {
  readonly _tag: 'Gone'
}
const gone: Gone = { _tag: 'Gone' }

/** How bodies are read. */
export interface BodyLimits {
  readonly clock: Clock
  /** Time for the whole body, in milliseconds. */
  readonly readMs: number
  /** Bytes of the bodies of unanswered requests, all together. */
  readonly maxHeld: number
}

/** Reads one request's body to its end. Calls `writeContinue` where the caller waits for it. */
export type ReadBody = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
) => Promise<E.Either<Problem | Gone, Buffer>>

/** Bodies up to this size are not counted once they are whole. */
const small = 1 << 14

/** Reads bodies in the chunks they come in, up to the limits; the rest of a refused body is left. */
export const bodyReader = (limits: BodyLimits): ReadBody => {
  let held = 0
  const release = (size: number): void => {
    held -= size
  }
  return (incoming, outgoing) => {
    const announced = Number(incoming.headers['content-length'] ?? 0)
    if (announced > largestDocument) return Promise.resolve(E.left(bodyTooLarge))
    if (incoming.headers.expect?.toLowerCase() === '100-continue') outgoing.writeContinue()
    return new Promise((resolve) => {
      const chunks: Array<Buffer> = []
      let size = 0
      const settle = (result: E.Either<Problem | Gone, Buffer>): void => {
        cancelTimer()
        if (E.isLeft(result) || size <= small) held -= size
        else outgoing.once('close', () => release(size))
        incoming.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone)
        if (E.isLeft(result)) incoming.on('error', ignore).pause()
        resolve(result)
      }
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk)
        size += chunk.length
        held += chunk.length
        if (size > largestDocument) settle(E.left(bodyTooLarge))
        else if (held > limits.maxHeld) settle(E.left(noRoom))
      }
      const onEnd = (): void =>
        settle(E.right(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
      const onGone = (): void => settle(E.left(gone))
      const cancelTimer = limits.clock.timer(limits.readMs, () => settle(E.left(bodyTooSlow)))
      incoming.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
      if (incoming.destroyed && !incoming.readableEnded) onGone()
    })
  }
}

const ignore = (): void => undefined

const noRoom: Problem = {
  ...atCapacity('The service has no room for another request body.', 1000),
}
