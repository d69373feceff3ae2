/** Why a request failed, in the words that its caller gets. D37 */
export interface Problem {
  readonly status: number
  /** `error_type` in the body, and the name of the reason in log and metrics. */
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** What the operator's log says instead of `message`. D76 */
  readonly cause?: string
  /** The cause is all the service's own words: nothing of the request can be in it. */
  readonly ownCause?: true
  /** What is wrong with the document. The body then lists these instead of type and message. */
  readonly faults?: ReadonlyArray<Fault>
}

/** One fault of a request document, in the list form of `detail`. D37 */
export interface Fault {
  /** The place: `body`, then member names and array indexes, outermost first. */
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
}

const problem = (
  status: number,
  type: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Problem =>
  headers === undefined ? { status, type, message } : { status, type, message, headers }

/** The body of a failed request. */
export const problemBody = (p: Problem): string =>
  JSON.stringify({ detail: p.faults ?? { error_type: p.type, message: p.message } })

const closing = { Connection: 'close' }

/**
 * The headers that say when to come back: in whole seconds, and in milliseconds for clients that know that
 * one.
 */
const waitHeaders = (waitMs: number) => ({
  'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
  'retry-after-ms': String(Math.max(1, Math.ceil(waitMs))),
})

/** 400: the body is not JSON. D37 */
export const invalidJson = (message: string): Problem => problem(400, 'api_usage_error', message)
/**
 * 400: what came is not an HTTP request. The connection ends, since nobody knows where the next one would
 * begin. D37
 */
export const invalidHttp = (message: string): Problem =>
  problem(400, 'api_usage_error', message, closing)
/** 400: an HTTP/1.1 request without `Host`, or with two. D72 */
export const invalidHost: Problem = invalidHttp('an HTTP/1.1 request has one Host header')
/** 400: the engine has no model of this name. D37 */
export const unknownModel = (model: string): Problem =>
  problem(400, 'api_usage_error', `Unknown model: ${clipped(model)}`)
/** 400: a question type that the engine cannot answer. D37 */
export const unsupportedType = (message: string): Problem =>
  problem(400, 'unsupported_question_type', message)
/** 400: the state and a question are longer than the engine takes. D77 */
export const maxTokensExceeded = (message: string): Problem =>
  problem(400, 'max_tokens_exceeded', message)
/** 401: there is no key, or it is not among those that may ask. D37, D38 */
export const unauthenticated: Problem = problem(
  401,
  'authentication_error',
  'Cannot authenticate with the server. Please check your API key and try again.',
  { 'WWW-Authenticate': 'Bearer' },
)
/** 403: a `Host` that is not this machine, of a service that takes requests without keys. D72 */
export const foreignHost: Problem = problem(
  403,
  'permission_error',
  'Host must be a loopback name or address: this service has no API keys',
  closing,
)
/** 404: there is no such route. D37 */
export const notFound: Problem = problem(404, 'not_found', 'Not Found')
/** 404: the `replay` engine has no recording of this request. */
export const notRecorded = (message: string): Problem => problem(404, 'not_recorded', message)
/** 405: the route has other methods, which `Allow` lists. D37 */
export const methodNotAllowed = (allowed: ReadonlyArray<string>): Problem =>
  problem(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allowed.join(', ') })
/** 408: the request did not come in time. D37 */
export const bodyTooSlow: Problem = problem(
  408,
  'request_timeout',
  'The request did not arrive in time.',
  closing,
)
/** 413: the document is larger than 16 MiB. D37 */
export const bodyTooLarge: Problem = problem(
  413,
  'request_too_large',
  'request exceeds 16 MiB',
  closing,
)
/** 415: the content type or encoding is not that of plain JSON. D37 */
export const unsupportedMedia = (
  message: string,
  headers?: Readonly<Record<string, string>>,
): Problem => problem(415, 'unsupported_media_type', message, headers)
/** 422: the document is well-formed, but asks for more than a caller may have. D68 */
export const tooMuch = (loc: Fault['loc'], msg: string): Problem =>
  faulty([{ loc, msg, type: 'too_long' }])
/** 422: the document has faults. D37 */
export const faulty = (faults: ReadonlyArray<Fault>): Problem => ({
  status: 422,
  type: 'validation_error',
  message: faults.map((f) => f.msg).join('; '),
  faults,
})
/** 431: the headers are larger than Node takes, which is 16 KiB. */
export const headersTooLarge: Problem = problem(
  431,
  'headers_too_large',
  'Request header fields too large',
  closing,
)
/** 429: the key has asked too often. It may ask again in `waitMs` milliseconds. D37 */
export const rateLimited = (waitMs: number): Problem =>
  problem(429, 'rate_limit_error', 'Too many requests', waitHeaders(waitMs))
/** 499: the caller went away before there was an answer. Nobody reads it: it is for log and metrics, under nginx's name. */
export const callerLeft: Problem = problem(
  499,
  'client_closed_request',
  'The caller went away before there was an answer',
)
/** 500: a defect of this program. What went wrong is for the log, not for the caller. */
export const internalError: Problem = problem(500, 'internal_error', 'Internal Server Error')
/** 502: the engine gave no usable answer. D37 */
export const engineFailed = (message: string): Problem => problem(502, 'engine_error', message)
/** 502: the engine refused the service's own key. A 401 would blame the caller's. */
export const engineRefusedKey = (message: string): Problem => problem(502, 'engine_auth', message)
/** 503: requests should go elsewhere for now. D78 */
export const notReady = (message: string): Problem => problem(503, 'not_ready', message)
/** 504: the engine did not answer in time. D37 */
export const engineTooSlow = (message: string): Problem => problem(504, 'engine_timeout', message)
/** 529: there is no room for another request. The caller should come back in `waitMs` milliseconds. D37 */
export const atCapacity = (message: string, waitMs: number): Problem =>
  problem(529, 'overloaded_error', message, waitHeaders(waitMs))

/** 529: what all callers send, or do not take, fills the memory that there is for it. D70 */
export const noRoom: Problem = atCapacity(
  'The service has no room for this now. Try again later.',
  1000,
)

const longest = 100

/** A text of the caller's, cut to 100 characters so that it can be repeated in a message. */
export const clipped = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}...` : text
