import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/Either'
import {
  bodyTooLarge,
  bodyTooSlow,
  callerDisconnected,
  type Problem,
  unsupportedMedia,
} from '../contract/problem'
import { refuse } from './respond'
import type { RequestStep, Service } from './service'

/** Refuses a compressed body, and a content type other than JSON in UTF-8. A missing content type means JSON. */
export const requireJson: RequestStep = async (c, next) => {
  const problem = findMediaProblem(c.env.incoming.headers)
  return problem === undefined ? next() : refuse(c, problem)
}

/** Matches `application/json`, and types such as `application/problem+json`. */
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i

const findMediaProblem = (headers: IncomingMessage['headers']): Problem | undefined => {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    return unsupportedMedia('Content-Encoding must be identity', { 'Accept-Encoding': 'identity' })
  const contentType = headers['content-type']
  if (contentType === undefined) return undefined
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  if (!jsonType.test(type)) return unsupportedMedia('Content-Type must be application/json')
  const charset = parameters.find((text) => /^charset=/i.test(text))?.slice('charset='.length)
  return charset === undefined || /^"?utf-?8"?$/i.test(charset)
    ? undefined
    : unsupportedMedia('the charset of a JSON document must be UTF-8')
}

/** Refuses a request whose `Content-Length` is over the limit, before its body is read. */
export const limitBody =
  ({ maxBodyBytes }: Service): RequestStep =>
  async (c, next) => {
    const contentLength = Number(c.env.incoming.headers['content-length'] ?? 0)
    return contentLength > maxBodyBytes ? refuse(c, bodyTooLarge(maxBodyBytes)) : next()
  }

/** Reads the body. Refuses a body that exceeds `maxBodyBytes`, takes longer than `readTimeoutMs`, or ends with a broken connection. */
export const readBody =
  (service: Service): RequestStep =>
  async (c, next) => {
    const body = await collectBody(c.env.incoming, service)
    if (E.isLeft(body)) return refuse(c, body.left)
    c.get('request').body = body.right
    return next()
  }

/** Reads the chunks of a body until it ends, the connection closes, the body is too large, or the time is over. */
const collectBody = (
  incoming: IncomingMessage,
  { clock, maxBodyBytes, readTimeoutMs }: Service,
): Promise<E.Either<Problem, Uint8Array>> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let size = 0
    const finish = (body: E.Either<Problem, Uint8Array>): void => {
      stopTimer()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      resolve(body)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size > maxBodyBytes) finish(E.left(bodyTooLarge(maxBodyBytes)))
    }
    const onEnd = (): void => finish(E.right(Buffer.concat(chunks)))
    const onClose = (): void => finish(E.left(callerDisconnected))
    const stopTimer = clock.timer(readTimeoutMs, () => finish(E.left(bodyTooSlow)))
    // Node reports a broken connection as an error of the request. Without a listener it would end the process.
    incoming.on('error', () => undefined)
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
    // The connection may have closed before there were listeners.
    if (incoming.destroyed && !incoming.readableEnded) onClose()
  })
