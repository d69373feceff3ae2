import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Result, Run } from '../../lib/cli/declaration'
import type { Failure } from '../../lib/failure/failure'
import { createFile } from '../../lib/failure/named-files'
import { printStarter } from '../../lib/review/starter'
import type { Files } from '../../lib/runtime/runtime'
import type { InitFlags } from '../init'
import type { ReviewInitFlags } from '../review-init'

/** Runs `svc init`: writes the request that the topic `request` explains, and prints its path. */
export const runInit: Run<InitFlags> = ({ runtime, flags }) =>
  pipe(
    TE.fromTask(() => import('../../lib/help/topics')),
    TE.map(({ exampleIn, topics }) => exampleIn(topics.get('request') ?? '')),
    TE.chain((text) => writeStarter(runtime.files, flags.file, text, '--file')),
  )

/** Runs `svc review init`: writes the starter configuration and prints its path. spec: `svc review init` */
export const runReviewInit: Run<ReviewInitFlags> = ({ runtime, flags }) =>
  writeStarter(runtime.files, flags.units, printStarter(), '--units')

/** Writes a document to start from. Fails where the file that `flag` names exists. */
const writeStarter = (
  files: Pick<Files, 'create'>,
  path: string,
  text: string,
  flag: string,
): TE.TaskEither<Failure, Result> =>
  pipe(
    createFile(files, path, text, flag),
    TE.map(() => ({ stdout: { document: { wrote: path } } })),
  )
