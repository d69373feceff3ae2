import * as TE from 'fp-ts/TaskEither'
import { reasonOf } from '../runtime/node/error-reason'
import { type Failure, usage } from './failure'

/**
 * Works with a file or folder that the user named. Fails with a usage error that says `what` was tried and the
 * system's reason: `write report out.json: permission denied`. D17
 */
export const access = <A>(what: string, act: () => Promise<A>): TE.TaskEither<Failure, A> =>
  TE.tryCatch(act, (error) => usage(`${what}: ${reasonOf(error)}`))
