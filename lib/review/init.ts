import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import type { Failure } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import { writeStarter } from './starter'

/** What `svc review init` needs of a command's context. */
interface InitContext {
  readonly runtime: Runtime
  readonly flags: { readonly units: string }
}

/** Runs `svc review init`. */
export const init = ({ runtime, flags }: InitContext): TE.TaskEither<Failure, Result> =>
  pipe(
    writeStarter(runtime.files, flags.units),
    TE.map(() => ({ stdout: { document: { wrote: flags.units } } })),
  )
