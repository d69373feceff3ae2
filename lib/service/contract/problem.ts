import type { DetailEntry } from '../../codec/request-faults'
import type { ServedFailure } from '../dialects/served-dialect'

/** The reason why a request failed, for the caller and for the operator's log. It contains no key. */
export interface Problem extends ServedFailure {
  readonly headers?: Readonly<Record<string, string>>
  /** Logged instead of `message`. It may name the engine's host, and callers do not see it. */
  readonly cause?: string
}

const createProblem = (
  status: number,
  type: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Problem =>
  headers === undefined ? { status, type, message } : { status, type, message, headers }

const withCause = (problem: Problem, cause: string | undefined): Problem =>
  cause === undefined ? problem : { ...problem, cause }

/** Returns true if the engine failed to answer. Any other problem means that the request was refused. */
export const isEngineFailure = ({ status }: Problem): boolean => status === 502 || status === 504

const closeConnection = { Connection: 'close' }

/** Creates the headers for a retry: `Retry-After` in whole seconds (RFC 9110), and `retry-after-ms` in milliseconds. */
const createWaitHeaders = (waitMs: number) => ({
  'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
  'retry-after-ms': String(Math.max(1, Math.ceil(waitMs))),
})

/** 400: the body is not JSON. */
export const invalidJson = (message: string): Problem =>
  createProblem(400, 'api_usage_error', message)
/** 400: the body is not multipart. */
export const invalidMultipart = (message: string): Problem =>
  createProblem(400, 'api_usage_error', message)
/** 400: the body does not have the encoding that `Content-Encoding` names. */
export const invalidEncoding = (encoding: string): Problem =>
  createProblem(400, 'api_usage_error', `the body is not valid ${encoding}`)
/** 400: the request is not valid HTTP. Closes the connection, because svc cannot find the next request in it. */
export const invalidHttp = (message: string): Problem =>
  createProblem(400, 'api_usage_error', message, closeConnection)
/** 400: an HTTP/1.1 request has no `Host` header, or several. */
export const invalidHost: Problem = invalidHttp('an HTTP/1.1 request has one Host header')
/** 400: the document has the dialect of another route. `path` is that route. */
export const wrongRoute = (path: string): Problem =>
  createProblem(400, 'api_usage_error', `A document of this form belongs to POST ${path}`)
/** 400: the engine has no model of this name. */
export const unknownModel = (model: string): Problem => ({
  ...createProblem(400, 'api_usage_error', `Unknown model: ${abbreviate(model)}`),
  isUnknownModel: true,
})
/** 400: the request has images. Only the engine `upstream` takes them. */
export const imagesUnsupported: Problem = createProblem(
  400,
  'api_usage_error',
  'images are not supported by this engine',
)
/** 400: the engine cannot answer questions of this type. */
export const unsupportedType = (message: string): Problem =>
  createProblem(400, 'unsupported_question_type', message)
/** 400: the state with a question exceeds the engine's maximum length. */
export const maxTokensExceeded = (message: string): Problem =>
  createProblem(400, 'max_tokens_exceeded', message)
/** 401: the request has no API key, or one that the service does not accept. */
export const unauthenticated: Problem = createProblem(
  401,
  'authentication_error',
  'Cannot authenticate with the server. Please check your API key and try again.',
  { ...closeConnection, 'WWW-Authenticate': 'Bearer' },
)
/** 403: the service has no keys, and `Host` does not name this machine. */
export const foreignHost: Problem = createProblem(
  403,
  'permission_error',
  'Host must be a loopback name or address: this service has no API keys',
  closeConnection,
)
/** 404: no route has this path. */
export const notFound: Problem = createProblem(404, 'not_found', 'Not Found')
/** 404: the caller expects a service that writes text. */
export const noTextRoute: Problem = createProblem(
  404,
  'not_found',
  "This service answers typed questions and writes no text. OpenAI's clients ask with decisions.create, which is POST /v1/decisions",
)
/** 404: the `replay` engine has no recording of this request. */
export const notRecorded = (message: string): Problem => createProblem(404, 'not_recorded', message)
/** 405: the route does not have this method. The `Allow` header lists its methods. */
export const methodNotAllowed = (allowed: ReadonlyArray<string>): Problem =>
  createProblem(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allowed.join(', ') })
/** 408: the request did not arrive in time. */
export const bodyTooSlow: Problem = createProblem(
  408,
  'request_timeout',
  'The request did not arrive in time.',
  closeConnection,
)
/** 413: the body exceeds `maxBytes`, the value of `--max-body`. */
export const bodyTooLarge = (maxBytes: number): Problem =>
  createProblem(
    413,
    'request_too_large',
    `request exceeds ${maxBytes} bytes (--max-body)`,
    closeConnection,
  )
/** 415: the content type is not JSON, or the service cannot decode the encoding of the body. */
export const unsupportedMedia = (
  message: string,
  headers?: Readonly<Record<string, string>>,
): Problem =>
  createProblem(415, 'unsupported_media_type', message, { ...closeConnection, ...headers })
/** 422: the document or its answer would be too large. `loc` is the path of the member to reduce. */
export const documentTooLarge = (loc: DetailEntry['loc'], msg: string): Problem =>
  invalidDocument([{ loc, msg, type: 'too_long' }])
/** 422: the document is JSON, but not a valid request. */
export const invalidDocument = (faults: ReadonlyArray<DetailEntry>): Problem => ({
  status: 422,
  type: 'validation_error',
  message: faults.map(({ msg }) => msg).join('; '),
  faults,
})
/** 429: the key has made too many requests. It may try again in `waitMs` milliseconds. */
export const rateLimited = (waitMs: number): Problem =>
  createProblem(429, 'rate_limit_error', 'Too many requests', createWaitHeaders(waitMs))
/**
 * 499: the caller disconnected before the response. Nothing is sent. The status, known from nginx, appears only in the log and
 * the metrics.
 */
export const callerDisconnected: Problem = createProblem(
  499,
  'client_closed_request',
  'The caller went away before there was an answer',
)
/** 500: a defect of this program. The details are logged and not sent. */
export const internalError: Problem = createProblem(500, 'internal_error', 'Internal Server Error')
/** 502: the engine failed, or its answer is invalid. */
export const engineFailed = (message: string, cause?: string): Problem =>
  withCause(createProblem(502, 'engine_error', message), cause)
/** 502: the engine refused the service's own key. It is not a 401, which would be about the caller's key. */
export const engineRefusedKey = (message: string, cause?: string): Problem =>
  withCause(createProblem(502, 'engine_auth', message), cause)
/** 503: the service cannot answer now. Load balancers should use another instance. */
export const notReady = (message: string): Problem => createProblem(503, 'not_ready', message)
/** 504: the engine did not answer in time. */
export const engineTooSlow = (message: string, cause?: string): Problem =>
  withCause(createProblem(504, 'engine_timeout', message), cause)
/** An error of the upstream service, with its status, its message and the wait in milliseconds that it asks for. */
export const upstreamError = (
  status: number,
  message: string,
  waitMs: number | undefined,
): Problem =>
  createProblem(
    status,
    getUpstreamType(status),
    message,
    waitMs === undefined ? undefined : createWaitHeaders(waitMs),
  )

/** Returns the type of an upstream error by its status. */
const getUpstreamType = (status: number): string => {
  switch (status) {
    case 404:
      return 'not_found'
    case 429:
      return 'rate_limit_error'
    case 529:
      return 'overloaded_error'
    default:
      return status >= 500 ? 'engine_error' : 'api_usage_error'
  }
}

/** 529: the service or its engine has too many requests. The caller should try again in `waitMs` milliseconds. */
export const atCapacity = (message: string, waitMs = 1000): Problem =>
  createProblem(529, 'overloaded_error', message, createWaitHeaders(waitMs))

/** 529: `--max-waiting` is reached, or half of it by the caller's key. */
export const serviceFull: Problem = atCapacity('The service is at its limit. Try again later.')

const maxAbbreviatedLength = 100

/** Matches half a character at the end of a text that was cut: the first of two UTF-16 code units. */
const halfCharacter = /[\uD800-\uDBFF]$/

/** Cuts a text of a request to 100 characters, for messages that repeat it. */
export const abbreviate = (text: string): string =>
  text.length > maxAbbreviatedLength
    ? `${text.slice(0, maxAbbreviatedLength).replace(halfCharacter, '')}...`
    : text
