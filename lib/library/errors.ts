import type { Kind } from '../failure/classify'

/** What went wrong with a call. Each kind has a class of its own below. */
export class TypedQuestionsError extends Error {
  override readonly name: string = 'TypedQuestionsError'
  /** The class of the failure, as in the error envelope of `svc`: `rate_limit`, `auth`, `connection` and so on. */
  readonly kind: Kind
  /** The HTTP status, where the service answered with an error. */
  readonly status: number | undefined
  /** The id that the service gave the request, where it gave one. */
  readonly requestId: string | undefined
  /** How many requests were sent; 0 where the call failed before the first. */
  readonly attempts: number

  constructor(message: string, { kind, status, requestId, attempts }: ErrorFields) {
    super(message)
    this.kind = kind
    this.status = status
    this.requestId = requestId
    this.attempts = attempts
  }
}

/** What an error says besides its message. */
export interface ErrorFields {
  readonly kind: Kind
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly attempts: number
}

/** The arguments or settings are wrong, or a key is missing. Nothing was sent. */
export class UsageError extends TypedQuestionsError {
  override readonly name = 'UsageError'
}

/** The questions cannot be asked as they are. Nothing was sent. */
export class ValidationError extends TypedQuestionsError {
  override readonly name = 'ValidationError'
}

/** The service does not accept the key (401, 403). */
export class AuthError extends TypedQuestionsError {
  override readonly name = 'AuthError'
}

/** The service answered 429, after all retries. */
export class RateLimitError extends TypedQuestionsError {
  override readonly name = 'RateLimitError'
}

/** The service refused the request (another 4xx, or a redirect, which is not followed). */
export class RequestError extends TypedQuestionsError {
  override readonly name = 'RequestError'
}

/** The service failed (5xx), after all retries. */
export class ServerError extends TypedQuestionsError {
  override readonly name = 'ServerError'
}

/** There was no usable response: the connection failed, or an attempt took too long. */
export class ConnectionError extends TypedQuestionsError {
  override readonly name = 'ConnectionError'
}

/** The service's answer cannot be read, or does not fit the questions. */
export class InvalidResponseError extends TypedQuestionsError {
  override readonly name = 'InvalidResponseError'
}
