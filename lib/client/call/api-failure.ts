import { requestIdOfBody } from '../../codec/response'
import { cutMessage } from '../../codec/service-errors'
import { apiError, type Failure } from '../../failure/failure'
import { type Redact, redacted } from '../../failure/text/redact'
import { redactCredentials } from '../../failure/text/secret'
import type { ErrorResponse, FailureDetails } from '../dialects/dialect'

/** What a failure says about the exchange that failed. */
interface Failed {
  readonly method: string
  /** The API path shown in messages. */
  readonly path: string
  readonly url: string
  readonly requestIdHeader: string
}

/**
 * Turns a response whose status is not 2xx into a failure. `message` is the service's own; for a redirect the
 * failure names its target instead.
 */
export const apiFailure = (
  { method, path, url, requestIdHeader }: Failed,
  { status, header, body }: ErrorResponse,
  { message, cause }: Pick<FailureDetails, 'message' | 'cause'>,
  redact: Redact,
): Failure => {
  const location = status >= 300 && status <= 399 ? header('location') : null
  return apiError({
    operation: `${method} ${path}`,
    status,
    message:
      location === null
        ? message
        : cutMessage(`redirect to ${redact(describeTarget(location, url))} is not followed`),
    requestId: requestIdOfBody(headerOf(header, requestIdHeader), body),
    cause,
  })
}

/** A header's value; `''` where it is absent, or where no header is known (`name` is empty). */
export const headerOf = (header: ErrorResponse['header'], name: string): string =>
  name === '' ? '' : (header(name) ?? '')

/** The target of a redirect, as an absolute address where it is a valid URL, with credentials redacted. */
const describeTarget = (location: string, from: string): string => {
  if (!URL.canParse(location, from)) return redactCredentials(location)
  const url = new URL(location, from)
  const hasCredentials = url.username !== '' || url.password !== ''
  url.username = ''
  url.password = ''
  return hasCredentials ? url.href.replace('//', `//${redacted}@`) : url.href
}
