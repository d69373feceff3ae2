import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result } from '../cli/declaration'
import type { Failure } from '../failure/failure'
import { printHarmless, withoutSecrets } from '../json/shown'
import type { Runtime } from '../runtime/runtime'
import type { Redact } from '../text/redact'
import { writeStarter } from './starter'

/** What `svc review init` needs of a command's context. */
interface InitContext {
  readonly runtime: Runtime
  readonly redact: Redact
  readonly flags: { readonly units: string }
  readonly globals: { readonly pretty: boolean }
}

/** Runs `svc review init`. */
export const init = ({
  runtime,
  redact,
  flags,
  globals,
}: InitContext): TE.TaskEither<Failure, Result> =>
  pipe(
    writeStarter(runtime.files, flags.units),
    TE.map(() => {
      const written = withoutSecrets({ wrote: flags.units }, redact)
      return { stdout: printHarmless(written, globals.pretty) }
    }),
  )
