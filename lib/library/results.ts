import * as E from 'fp-ts/Either'
import type { Kind } from '../failure/classify'
import { errorOf } from '../failure/envelope'
import type { Failure } from '../failure/failure'
import { plainMessageOf } from '../failure/message'
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
  if (E.isLeft(either)) throw errorFor(either.left, 0)
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

/** The error for a failure, after so many attempts. */
export const errorFor = (failure: Failure, attempts: number): TypedQuestionsError => {
  const { kind, status, request_id: requestId } = errorOf(failure)
  const message = plainMessageOf(failure)
  return new (classes[kind] ?? TypedQuestionsError)(message, { kind, status, requestId, attempts })
}
