import { requestIdOfBody } from '../codec/response'
import { cutMessage, errorMessage } from '../codec/service-errors'
import { apiError, type Failure } from '../failure/failure'
import type { FetchResponse } from '../runtime/runtime'
import type { Redact } from '../text/redact'
import { redacted } from '../text/search'
import { redactCredentials } from '../text/secret'

/**
 * Turns a response whose status is not 2xx into a failure. Its message is the service's own, or names the
 * target of a redirect; the API key in it is redacted. spec: HTTP API; D4, D5, D44, D47
 */
export const apiFailure = (
  exchange: {
    readonly method: string
    readonly path: string
    readonly url: string
    readonly errorMessage?: typeof errorMessage
  },
  response: Pick<FetchResponse, 'status' | 'header'>,
  body: Uint8Array,
  redact: Redact,
): Failure => {
  const { method, path, url } = exchange
  const { status, header } = response
  const location = status >= 300 && status <= 399 ? header('location') : null
  return apiError({
    operation: `${method} ${path}`,
    status,
    message:
      location === null
        ? (exchange.errorMessage ?? errorMessage)(body, redact)
        : cutMessage(`redirect to ${redact(describeTarget(location, url))} is not followed`),
    requestId: requestIdOfBody(header('x-service-request-id') ?? '', body),
  })
}

/** The target of a redirect, as an absolute address where it is a valid URL, with credentials redacted. */
const describeTarget = (location: string, from: string): string => {
  if (!URL.canParse(location, from)) return redactCredentials(location)
  const url = new URL(location, from)
  const hasCredentials = url.username !== '' || url.password !== ''
  url.username = ''
  url.password = ''
  return hasCredentials ? url.href.replace('//', `//${redacted}@`) : url.href
}
