import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../lib/cli/declaration'
import { createFile } from '../lib/failure/named-files'
import { starterText } from '../lib/review/starter'
import type { ReviewInitFlags } from './review-init'

/** Runs `svc review init`: writes the starter configuration and prints its path. spec: `svc review init` */
export const runReviewInit: Run<ReviewInitFlags> = ({ runtime, flags }) =>
  pipe(
    createFile(runtime.files, flags.units, starterText(), '--units'),
    TE.map(() => ({ stdout: { document: { wrote: flags.units } } })),
  )
