import * as E from 'fp-ts/Either'
import type { Kind } from '../failure/classify'
import { errorOf } from '../failure/envelope'
import type { Failure } from '../failure/failure'
import { plainMessageOf } from '../failure/message'
import { codeOf } from '../runtime/node/error-reason'
import {
  AuthError,
  ConnectionError,
  InvalidResponseError,
  RateLimitError,
  RequestError,
  ServerError,
  TypedQuestionsError,
  UsageError,
  ValidationError,
} from './errors'

/** A value, or the error that stands in its place. */
export type Result<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: TypedQuestionsError }

/** The value of a result. Throws its error. */
export const unwrap = <A>(result: Result<A>): A => {
  if (!result.ok) throw result.error
  return result.value
}

/** The value of an `Either`. Throws the failure as an error of a call that sent nothing. */
export const orThrow = <A>(either: E.Either<Failure, A>): A => {
  if (E.isLeft(either)) throw unsentError(either.left)
  return either.right
}

const classes: Readonly<Partial<Record<Kind, typeof TypedQuestionsError>>> = {
  usage: UsageError,
  validation: ValidationError,
  auth: AuthError,
  rate_limit: RateLimitError,
  request: RequestError,
  server: ServerError,
  connection: ConnectionError,
  invalid_response: InvalidResponseError,
}

/** What a call knows about its failure besides its words. */
interface FailureFacts {
  readonly attempts: number
  /** The exception that broke the connection. */
  readonly error?: unknown
  readonly retryAfterMs?: number | undefined
}

/** Creates the error for a failure. */
export const errorFor = (
  failure: Failure,
  { attempts, error, retryAfterMs }: FailureFacts,
): TypedQuestionsError => {
  const { kind, status, request_id: requestId } = errorOf(failure)
  const isTimeout = failure._tag === 'Connection' && failure.timeout !== undefined
  return new (classes[kind] ?? TypedQuestionsError)(plainMessageOf(failure), {
    kind,
    status,
    requestId,
    attempts,
    cause: error,
    code: isTimeout ? 'ETIMEDOUT' : codeOf(error),
    retryAfter: retryAfterMs,
  })
}

/** Creates the error for a failure before anything was sent. */
export const unsentError = (failure: Failure): TypedQuestionsError =>
  errorFor(failure, { attempts: 0 })
