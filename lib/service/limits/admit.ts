import type { IncomingMessage } from 'node:http'
import { type Problem, rateLimited, unauthenticated, unsupportedMedia } from '../problem'
import { bearerToken, type Keys } from './keys'
import type { RateLimit } from './rate-limit'

/** Who may ask, and how often. */
export interface Admission {
  readonly keys: Keys
  readonly rateLimit: RateLimit
}

/** Checks key and rate; `undefined` lets the request in. D37, D38 */
export const admit = (
  admission: Admission,
  headers: IncomingMessage['headers'],
): Problem | undefined => {
  const token = bearerToken(headers.authorization)
  const holder = token === undefined ? undefined : admission.keys.holder(token)
  if (holder === undefined) return unauthenticated
  const waitMs = admission.rateLimit(holder)
  return waitMs > 0 ? rateLimited(waitMs) : undefined
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json$/i

/** Refuses what is not JSON in UTF-8, sent as it is; no content type counts as JSON. D37 */
export const checkMedia = (headers: IncomingMessage['headers']): Problem | undefined => {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return unsupportedMedia('Content-Encoding must be identity', { 'Accept-Encoding': 'identity' })
  }
  const given = headers['content-type']
  if (given === undefined || given === 'application/json') return undefined
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim())
  if (!jsonType.test(type)) return unsupportedMedia('Content-Type must be application/json')
  const charset = parameters.find((p) => /^charset=/i.test(p))?.slice('charset='.length)
  return charset === undefined || /^"?utf-?8"?$/i.test(charset)
    ? undefined
    : unsupportedMedia('the charset of a JSON document must be UTF-8')
}
