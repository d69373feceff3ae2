import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import { errorFor, type TypedQuestionsError } from './errors'

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
