import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import type { Clock } from '../../runtime/runtime'
import {
  bodyTooLarge,
  bodyTooSlow,
  callerLeft,
  type Problem,
  unsupportedMedia,
} from '../contract/problem'
import { type RequestStep, refuse } from './call'

/** The limits of one request body. */
export interface BodyLimits {
  readonly clock: Clock
  readonly maxBodyBytes: number
  /** The time for the whole body, in milliseconds. */
  readonly readMs: number
}

/** Refuses a body that is compressed, or is not JSON in UTF-8 by its content type. A body without a type counts as JSON. */
export const requireJson: RequestStep = async (c, next) => {
  const problem = checkMediaType(c.env.incoming.headers)
  return problem === undefined ? next() : refuse(c, problem)
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i

const checkMediaType = (headers: IncomingMessage['headers']): Problem | undefined => {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    return unsupportedMedia('Content-Encoding must be identity', { 'Accept-Encoding': 'identity' })
  const given = headers['content-type']
  if (given === undefined) return undefined
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim())
  if (!jsonType.test(type)) return unsupportedMedia('Content-Type must be application/json')
  const charset = parameters.find((p) => /^charset=/i.test(p))?.slice('charset='.length)
  return charset === undefined || /^"?utf-?8"?$/i.test(charset)
    ? undefined
    : unsupportedMedia('the charset of a JSON document must be UTF-8')
}

/** Refuses a body whose announced length is over the limit. */
export const limitBody =
  ({ maxBodyBytes }: BodyLimits): RequestStep =>
  async (c, next) => {
    const announced = Number(c.env.incoming.headers['content-length'] ?? 0)
    return announced > maxBodyBytes ? refuse(c, bodyTooLarge(maxBodyBytes)) : next()
  }

/** Reads the body. Refuses one that turns out to be over the limit, or does not arrive in time. */
export const readBody =
  (limits: BodyLimits): RequestStep =>
  async (c, next) => {
    const body = await collectBody(c.env.incoming, limits)
    if (E.isLeft(body)) return refuse(c, body.left)
    c.get('call').body = body.right
    return next()
  }

const collectBody = (
  incoming: IncomingMessage,
  { clock, maxBodyBytes, readMs }: BodyLimits,
): Promise<E.Either<Problem, Uint8Array>> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const finish = (body: E.Either<Problem, Uint8Array>): void => {
      stopTimer()
      incoming.off('data', onData).off('end', onEnd).off('close', onGone)
      resolve(body)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size > maxBodyBytes) finish(E.left(bodyTooLarge(maxBodyBytes)))
    }
    const onEnd = (): void => finish(E.right(Buffer.concat(chunks)))
    const onGone = (): void => finish(E.left(callerLeft))
    const stopTimer = clock.timer(readMs, () => finish(E.left(bodyTooSlow)))
    // Node reports a broken connection as an error of the request. Without a listener it would end the process.
    incoming.on('error', () => undefined)
    incoming.on('data', onData).on('end', onEnd).on('close', onGone)
    if (incoming.destroyed && !incoming.readableEnded) onGone()
  })
