import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { Run } from '../lib/cli/declaration'
import { createFile } from '../lib/failure/named-files'
import { exampleIn, topics } from '../lib/help/topics'
import type { InitFlags } from './init'

/** Runs `svc init`: writes the request that the topic `request` explains, and prints its path. */
export const run: Run<InitFlags> = ({ runtime, flags: { file } }) =>
  pipe(
    createFile(runtime.files, file, exampleIn(topics.get('request') ?? ''), '--file'),
    TE.map(() => ({ stdout: { document: { wrote: file } } })),
  )
