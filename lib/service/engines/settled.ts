import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { engineFailed, type Problem } from '../contract/problem'
import { loggable } from '../observe/loggable'

/**
 * Runs an engine's work on a request. A failure gets a cause that is fit to log, without any part of the request
 * document. An engine should return its failures: one that throws has a defect, and its caller only learns that
 * it failed. Never rejects. D76
 */
export const settled = async <A>(
  work: TE.TaskEither<Problem, A>,
  document: Uint8Array,
): Promise<E.Either<Problem, A>> => {
  const result = await attempted(work)
  if (E.isRight(result)) return result
  const { cause, message } = result.left
  return E.left({ ...result.left, cause: loggable(cause ?? message, document) })
}

const attempted = async <A>(work: TE.TaskEither<Problem, A>): Promise<E.Either<Problem, A>> => {
  try {
    return await work()
  } catch (error) {
    const cause = `defect: ${error instanceof Error ? error.message : 'unknown'}`
    return E.left(engineFailed('The engine failed.', cause))
  }
}
