import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/reason'
import type { OutputFile, Runtime } from '../runtime/runtime'

/** Where records go. */
export interface Sink {
  /** How messages name it. */
  readonly name: string
  readonly write: (lines: Uint8Array) => Promise<'more' | 'enough'>
}

/** Standard output, whose reader may have enough of it. D23 */
export const stdoutSink = ({ stdout }: Pick<Runtime, 'stdout'>): Sink => ({
  name: 'stdout',
  write: async (lines) => {
    await stdout.write(lines)
    return stdout.isClosed ? 'enough' : 'more'
  },
})

/** A file, or a new one that is to replace it. */
export const fileSink = (name: string, { append }: Pick<OutputFile, 'append'>): Sink => ({
  name,
  write: async (lines) => {
    await append(lines)
    return 'more'
  },
})

/** Opens the output of a run for it alone; one that holds something is refused without `--resume`. R7 */
export const openOutput = (
  { files }: Pick<Runtime, 'files'>,
  path: string,
  resume: boolean,
): TE.TaskEither<Failure, OutputFile> =>
  pipe(
    TE.tryCatch(
      () => files.openOutput(path),
      (error) => usage(`write ${path}: ${reasonOf(error)}`),
    ),
    TE.chain((file) =>
      resume || file.size === 0
        ? TE.right(file)
        : pipe(
            TE.fromTask(() => file.close()),
            TE.chainEitherK(() =>
              E.left(usage(`${path} is not empty: pass --resume to go on with its run`)),
            ),
          ),
    ),
  )
