/** A failed request, as the caller is told. D37 */
export interface Problem {
  readonly status: number
  /** `error_type` of the detail; also the reason in logs and metrics. */
  readonly type: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** The list form of `detail`, for a document with faults. */
  readonly faults?: ReadonlyArray<Fault>
}

/** One fault of a request document, in the list form of `detail`. D37 */
export interface Fault {
  /** From `body` down: names and indexes. */
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

/** When to come back, in both forms; never at once. */
const waitHeaders = (waitMs: number) => ({
  'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))),
  'retry-after-ms': String(Math.max(1, Math.ceil(waitMs))),
})

/** 400: the body is no JSON. D37 */
export const invalidJson = (message: string): Problem => problem(400, 'api_usage_error', message)
/** 400: what came is no HTTP request; the connection ends. D37 */
export const invalidHttp = (message: string): Problem =>
  problem(400, 'api_usage_error', message, closing)
/** 400: the engine offers no such model. D37 */
export const unknownModel = (model: string): Problem =>
  problem(400, 'api_usage_error', `Unknown model: ${clipped(model)}`)
/** 400: a question type that the engine cannot answer. D37 */
export const unsupportedType = (message: string): Problem =>
  problem(400, 'unsupported_question_type', message)
/** 401: no key, or one that may not ask. D37, D38 */
export const unauthenticated: Problem = problem(
  401,
  'authentication_error',
  'Cannot authenticate with the server. Please check your API key and try again.',
  { 'WWW-Authenticate': 'Bearer' },
)
/** 404: no such route. D37 */
export const notFound: Problem = problem(404, 'not_found', 'Not Found')
/** The `replay` engine has no such request. */
export const notRecorded = (message: string): Problem => problem(404, 'not_recorded', message)
/** 405 with the methods that the route has. D37 */
export const methodNotAllowed = (allowed: ReadonlyArray<string>): Problem =>
  problem(405, 'method_not_allowed', 'Method Not Allowed', { Allow: allowed.join(', ') })
/** 408: the body did not come in time. D37 */
export const bodyTooSlow: Problem = problem(
  408,
  'request_timeout',
  'The request did not arrive in time.',
  closing,
)
/** 413: more than 16 MiB. D37 */
export const bodyTooLarge: Problem = problem(
  413,
  'request_too_large',
  'request exceeds 16 MiB',
  closing,
)
/** 415: a content type or encoding other than plain JSON. D37 */
export const unsupportedMedia = (
  message: string,
  headers?: Readonly<Record<string, string>>,
): Problem => problem(415, 'unsupported_media_type', message, headers)
/** 422: a document with faults, every one of them listed. D37 */
export const faulty = (faults: ReadonlyArray<Fault>): Problem => ({
  status: 422,
  type: 'validation_error',
  message: faults.map((f) => f.msg).join('; '),
  faults,
})
/** 431: more header than Node takes. */
export const headersTooLarge: Problem = problem(
  431,
  'headers_too_large',
  'Request header fields too large',
  closing,
)
/** 429: a key over its rate; `waitMs` until it may ask again. D37 */
export const rateLimited = (waitMs: number): Problem =>
  problem(429, 'rate_limit_error', 'Too many requests', waitHeaders(waitMs))
/** Never names what went wrong: that is for the log. */
export const internalError: Problem = problem(500, 'internal_error', 'Internal Server Error')
/** 502: the engine gave no usable answer. D37 */
export const engineFailed = (message: string): Problem => problem(502, 'engine_error', message)
/** 502: the engine refused the service's own key; a 401 would blame the caller's. */
export const engineRefusedKey = (message: string): Problem => problem(502, 'engine_auth', message)
/** 504: the engine did not answer in time. D37 */
export const engineTooSlow = (message: string): Problem => problem(504, 'engine_timeout', message)
/** 529: the queue is full; `waitMs` is when to come back. D37 */
export const atCapacity = (message: string, waitMs: number): Problem =>
  problem(529, 'overloaded_error', message, waitHeaders(waitMs))

const longest = 100

/** A caller's text, short enough to be said back. */
export const clipped = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}...` : text
