import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Run } from '../lib/cli/declaration'
import { createFile } from '../lib/failure/named-files'
import type { InitFlags } from './init'

/** Runs `svc init`: writes the request that the topic `request` explains, and prints its path. */
export const runInit: Run<InitFlags> =
  ({ runtime, flags: { file } }) =>
  async () => {
    const { exampleIn, topics } = await import('../lib/help/topics')
    const example = exampleIn(topics.get('request') ?? '')
    return pipe(
      await createFile(runtime.files, file, example, '--file')(),
      E.map(() => ({ stdout: { document: { wrote: file } } })),
    )
  }
