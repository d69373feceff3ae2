import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result, Values } from '../cli/declaration'
import type { GlobalFlags } from '../cli/globals'
import type { Failure } from '../failure/failure'
import { print } from '../json/draft'
import type { Runtime } from '../runtime/runtime'
import { writeStarter } from './starter'

/** What `svc review init` needs of a command's context. */
interface InitContext {
  readonly runtime: Runtime
  readonly flags: { readonly units: string }
  readonly globals: Pick<Values<GlobalFlags>, 'pretty'>
}

/** Runs `svc review init`. */
export const init = ({ runtime, flags, globals }: InitContext): TE.TaskEither<Failure, Result> =>
  pipe(
    writeStarter(runtime.files, flags.units),
    TE.map(() => ({ stdout: print({ wrote: flags.units }, globals.pretty) })),
  )
