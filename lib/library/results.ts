import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import { errorOf, type Kind, messageWithoutProvider } from '../failure/report'
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

/** A value, or an error instead. */
export type Result<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: TypedQuestionsError }

/** Returns the value of a result, or throws its error. */
export const unwrap = <A>(result: Result<A>): A => {
  if (!result.ok) throw result.error
  return result.value
}

/** Returns the value of an `Either`, or throws the error for its failure. Only for failures before anything is sent. */
export const orThrow = <A>(either: E.Either<Failure, A>): A => {
  if (E.isLeft(either)) throw createErrorBeforeSending(either.left)
  return either.right
}

/** The classes by kind of failure. A failure of another kind, such as a defect of the library, is a `TypedQuestionsError`. */
const errorClasses: Readonly<Partial<Record<Kind, typeof TypedQuestionsError>>> = {
  usage: UsageError,
  validation: ValidationError,
  auth: AuthError,
  rate_limit: RateLimitError,
  request: RequestError,
  server: ServerError,
  connection: ConnectionError,
  invalid_response: InvalidResponseError,
}

/** Facts about a failed call that are not in its `Failure`. */
interface FailedCallFacts {
  readonly attempts: number
  /** The exception that broke the connection. */
  readonly error?: unknown
  readonly retryAfterMs?: number | undefined
}

/** Creates the error of the class that belongs to the kind of a failure. */
export const createError = (
  failure: Failure,
  { attempts, error, retryAfterMs }: FailedCallFacts,
): TypedQuestionsError => {
  const { kind, status, request_id: requestId } = errorOf(failure)
  const isTimeout = failure._tag === 'Connection' && failure.timeout !== undefined
  const ErrorClass = errorClasses[kind] ?? TypedQuestionsError
  return new ErrorClass(messageWithoutProvider(failure), {
    kind,
    status,
    requestId,
    attempts,
    cause: error,
    code: isTimeout ? 'ETIMEDOUT' : codeOf(error),
    retryAfter: retryAfterMs,
  })
}

/** Creates the error for a failure before anything is sent: its `attempts` are 0. */
export const createErrorBeforeSending = (failure: Failure): TypedQuestionsError =>
  createError(failure, { attempts: 0 })
