import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AskRequest } from '../codec/request'
import { type Failure, usage } from '../failure/failure'
import { exceedsLargest, largestDocument } from '../json/parse'
import { questionsDigest } from '../run/record'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'
import { decodePolicy } from './decode'
import { type GivenPolicy, isFor } from './policy'

/** Reads a policy file, and checks that it was made for these questions. Fails with a usage error. R23, D17 */
export const loadPolicy = (
  { path, pin }: Omit<GivenPolicy, 'questions'>,
  files: Pick<Files, 'read'>,
  asked: AskRequest['questions'] | undefined,
): TE.TaskEither<Failure, GivenPolicy> => {
  const failWith = (why: string): Failure => usage(`read policy: ${path}: ${why}`)
  return pipe(
    TE.tryCatch(
      () => files.read(path, largestDocument),
      (error) => failWith(reasonOf(error)),
    ),
    TE.filterOrElse(
      (bytes) => bytes.length <= largestDocument,
      () => failWith(exceedsLargest),
    ),
    TE.chainEitherK((bytes) => E.mapLeft(failWith)(decodePolicy(bytes))),
    TE.map((questions) => ({ path, questions, pin })),
    TE.filterOrElse(
      (policy) => asked === undefined || isFor(policy, questionsDigest(asked)),
      () => usage(`the policy ${path} is for other questions`, 'policy'),
    ),
  )
}
