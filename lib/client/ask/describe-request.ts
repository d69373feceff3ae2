import * as E from 'fp-ts/Either'
import { createImageAbbreviator, decodeImages } from '../../codec/images'
import { type Draft, redactDraft } from '../../codec/json/draft'
import type { AskRequest } from '../../codec/request'
import { describeHeaders, selectImageHeaders } from '../call/headers'
import type { Destination } from '../providers/destination'

/**
 * Describes the request that a call would send, for `--dry-run`. The key is `[redacted]`, and images are shown by their size.
 * `Host` and `Content-Length`, which the HTTP client adds, are left out.
 */
export const describeRequest = (
  destination: Destination,
  userAgent: string,
  request: AskRequest,
  body: Draft,
): Draft => {
  const images = decodeImages(request.extra)
  const hideImages = createImageAbbreviator(E.isRight(images) ? images.right : [])
  return {
    method: 'POST',
    url: destination.ask.url,
    headers: {
      ...describeHeaders(destination, userAgent, true),
      ...selectImageHeaders(destination, request),
    },
    body: redactDraft(body, hideImages),
  }
}
