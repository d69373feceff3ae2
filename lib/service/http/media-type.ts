import type { IncomingMessage } from 'node:http'
import { type Problem, unsupportedMedia } from '../contract/problem'

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
