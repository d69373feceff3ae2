import { describeHeaders } from '../client/headers'
import type { Draft } from '../json/draft'
import type { Place } from '../provider/place'

/**
 * Describes what a call would send, with the key shown as `[redacted]`. `Host` and `Content-Length`, which the
 * HTTP client adds, are left out.
 */
export const describeRequest = (place: Place, userAgent: string, body: Draft): Draft => ({
  method: 'POST',
  url: place.ask.url,
  headers: describeHeaders(place, userAgent, true),
  body,
})
