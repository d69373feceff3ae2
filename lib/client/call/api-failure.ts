import { readRequestId } from '../../codec/response'
import { cutMessage } from '../../codec/service-errors'
import { apiError, type Failure } from '../../failure/failure'
import { type Redact, redactCredentials, redacted } from '../../failure/text/secret'
import type { ErrorResponse, FailureDetails } from '../dialects/dialect'

/** The request that failed. */
interface FailedRequest {
  readonly method: string
  /** The API path for messages. */
  readonly path: string
  readonly url: string
  /** `''` if the service has none. */
  readonly requestIdHeader: string
}

/**
 * Creates the failure for a response with an error status. Its message is that of the service, or names the target of a redirect.
 */
export const createApiFailure = (
  { method, path, url, requestIdHeader }: FailedRequest,
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
    requestId: readRequestId(readHeader(header, requestIdHeader), body),
    cause,
  })
}

/** Returns a header; `''` if it is absent or `name` is `''`. */
export const readHeader = (header: ErrorResponse['header'], name: string): string =>
  name === '' ? '' : (header(name) ?? '')

/** Returns the target of a redirect without credentials, as an absolute URL if it is valid. */
const describeTarget = (location: string, from: string): string => {
  if (!URL.canParse(location, from)) return redactCredentials(location)
  const url = new URL(location, from)
  const hasCredentials = url.username !== '' || url.password !== ''
  url.username = ''
  url.password = ''
  return hasCredentials ? url.href.replace('//', `//${redacted}@`) : url.href
}
