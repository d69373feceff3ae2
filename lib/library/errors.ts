import type { Kind } from '../failure/report'

/** The fields of an error besides its message. */
export interface ErrorFields {
  readonly kind: Kind
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly attempts: number
  readonly code?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** An error of a call. Most kinds have a subclass below. */
export class TypedQuestionsError extends Error {
  override readonly name: string = 'TypedQuestionsError'
  /** The kind of the failure, as in the error envelope of `svc`: `rate_limit`, `auth`, `connection` and so on. */
  readonly kind: Kind
  /** The HTTP status if the service answered with an error. */
  readonly status: number | undefined
  /** The request id that the service sent, if it sent one. */
  readonly requestId: string | undefined
  /** The number of requests sent; 0 if the call failed before the first. */
  readonly attempts: number
  /** Node's code of the error that broke the connection, such as `ECONNREFUSED`; `ETIMEDOUT` after `timeout`. */
  readonly code: string | undefined
  /** The wait before the next call that the service asked for, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(message: string, fields: ErrorFields) {
    super(message, fields.cause === undefined ? {} : { cause: fields.cause })
    this.kind = fields.kind
    this.status = fields.status
    this.requestId = fields.requestId
    this.attempts = fields.attempts
    this.code = fields.code
    this.retryAfter = fields.retryAfter
  }
}

/** An argument or option is invalid, or a key is missing. Nothing was sent. */
export class UsageError extends TypedQuestionsError {
  override readonly name = 'UsageError'
}

/** The questions or the images cannot be sent as they are. Nothing was sent. */
export class ValidationError extends TypedQuestionsError {
  override readonly name = 'ValidationError'
}

/** The service rejected the key: with status 401 or 403, or with a message that says so. */
export class AuthError extends TypedQuestionsError {
  override readonly name = 'AuthError'
}

/** The service answered the last attempt with 429. */
export class RateLimitError extends TypedQuestionsError {
  override readonly name = 'RateLimitError'
}

/**
 * The service refused the request (another 4xx, or a redirect, which is not followed). With `refusals: 'throw'`, it
 * refused a question.
 */
export class RequestError extends TypedQuestionsError {
  override readonly name = 'RequestError'
}

/** The service failed: it answered the last attempt with 5xx. */
export class ServerError extends TypedQuestionsError {
  override readonly name = 'ServerError'
}

/** No complete response arrived: the connection failed, or the last attempt timed out. Its `cause` is the error of Node, if there is one. */
export class ConnectionError extends TypedQuestionsError {
  override readonly name = 'ConnectionError'
}

/** The response cannot be parsed, or does not fit the questions. */
export class InvalidResponseError extends TypedQuestionsError {
  override readonly name = 'InvalidResponseError'
}

/** Answers in packs differ too often from answers given alone. The message has the figures. The rows of the check were recorded. */
export class PackError extends TypedQuestionsError {
  override readonly name = 'PackError'
}
