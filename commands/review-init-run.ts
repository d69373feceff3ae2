import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../lib/cli/declaration'
import { writeStarter } from '../lib/review/starter'
import type { ReviewInitFlags } from './review-init'

/** Runs `svc review init`: writes the starter configuration and prints its path. spec: `svc review init` */
export const run: Run<ReviewInitFlags> = ({ runtime, flags }) =>
  pipe(
    writeStarter(runtime.files, flags.units),
    TE.map(() => ({ stdout: { document: { wrote: flags.units } } })),
  )
