import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import { createWorkQueue } from '../../runtime/work-queue'
import {
  bodyTooLarge,
  bodyTooSlow,
  callerDisconnected,
  type Problem,
  unsupportedMedia,
} from '../contract/problem'
import { createComputeQueue } from './call-engine'
import { acceptedEncodings, decodeBody, isKnownEncoding, parseEncoding } from './decode-body'
import { joinParts } from './join-parts'
import { refuse } from './respond'
import type { IncomingRequest, RequestStep, Service } from './service'

/** Refuses a content type other than JSON in UTF-8, and multipart if the dialect takes it. A missing content type means JSON. */
export const requireMedia: RequestStep = async (c, next) => {
  const { takesParts } = c.get('request').dialect
  const problem = findMediaProblem(c.env.incoming.headers, takesParts)
  return problem === undefined ? next() : refuse(c, problem)
}

/** Matches `application/json`, and types such as `application/problem+json`. */
const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i

/** Matches the `Content-Type` of a body with parts. */
const multipartType = /^multipart\/form-data\s*(?:;|$)/i

const findMediaProblem = (
  headers: IncomingRequest['headers'],
  takesParts: boolean,
): Problem | undefined => {
  const contentType = headers['content-type']
  if (contentType === undefined || (takesParts && multipartType.test(contentType))) return undefined
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim())
  if (!jsonType.test(type)) {
    const others = takesParts ? ' or multipart/form-data' : ''
    return unsupportedMedia(`Content-Type must be application/json${others}`)
  }
  const charset = parameters.find((text) => /^charset=/i.test(text))?.slice('charset='.length)
  return charset === undefined || /^"?utf-?8"?$/i.test(charset)
    ? undefined
    : unsupportedMedia('the charset of a JSON document must be UTF-8')
}

/** Refuses a body with an encoding that the service cannot decode. */
export const requireKnownEncoding: RequestStep = async (c, next) => {
  const encoding = parseEncoding(c.env.incoming.headers['content-encoding'])
  if (isKnownEncoding(encoding)) return next()
  const message = `Content-Encoding must be one of ${acceptedEncodings}`
  return refuse(c, unsupportedMedia(message, { 'Accept-Encoding': acceptedEncodings }))
}

/** Refuses a request whose `Content-Length` is over the limit, before its body is read. */
export const limitBody =
  ({ maxBodyBytes }: Service): RequestStep =>
  async (c, next) => {
    const contentLength = Number(c.env.incoming.headers['content-length'] ?? 0)
    return contentLength > maxBodyBytes ? refuse(c, bodyTooLarge(maxBodyBytes)) : next()
  }

/**
 * Reads the body and decodes it. Refuses a body that exceeds `maxBodyBytes` before or after decoding, takes longer than `readTimeoutMs`,
 * is not validly encoded, or ends with a broken connection.
 */
export const readBody = (service: Service): RequestStep => {
  // Bodies are decoded one after the other, because a decoder needs memory of its own. The holders of keys take turns.
  const queue = createWorkQueue(1, Number.POSITIVE_INFINITY)
  return async (c, next) => {
    const request = c.get('request')
    const { incoming } = c.env
    const body = await collectBody(incoming, service)
    if (E.isLeft(body)) return refuse(c, body.left)
    const encoding = parseEncoding(incoming.headers['content-encoding'])
    if (encoding === 'identity') {
      request.body = body.right
      return next()
    }
    const { signal } = request.abortController
    const decodeNow = () => decodeBody(body.right, encoding, service.maxBodyBytes)
    const decoded = await queue.run(signal, decodeNow, request.holder?.id)
    if (O.isNone(decoded)) return refuse(c, callerDisconnected)
    if (E.isLeft(decoded.value)) return refuse(c, decoded.value.left)
    request.body = decoded.value.right
    return next()
  }
}

/** Turns a body with parts into a JSON document, see `joinParts`. Leaves any other body unchanged. */
export const readParts = (): RequestStep => {
  // Bodies are joined one after the other, because each needs memory for a copy.
  const computeQueue = createComputeQueue()
  return async (c, next) => {
    const request = c.get('request')
    const contentType = c.env.incoming.headers['content-type'] ?? ''
    if (!multipartType.test(contentType)) return next()
    const compute = computeQueue.forRequest(request.abortController.signal, request.holder?.id)
    const joined = E.flatten(await compute(() => joinParts(request.body, contentType))())
    if (E.isLeft(joined)) return refuse(c, joined.left)
    request.body = joined.right
    return next()
  }
}

/** Reads the chunks of a body until it ends, the connection closes, the body is too large, or the time is over. */
const collectBody = (
  incoming: IncomingRequest,
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
