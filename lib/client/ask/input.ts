import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { exceedsMaxBytes, maxDocumentBytes } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { InputSource } from './mode'

/** What reading input uses. */
export type Inputs = Pick<Runtime, 'stdin' | 'files' | 'signal'>

/**
 * Reads an input of at most 16 MiB. `what` names it in messages: `read request: …`. Fails with a usage error,
 * or as interrupted.
 */
export const readInput =
  (source: InputSource, what: string) =>
  ({ stdin, files, signal }: Inputs): TE.TaskEither<Failure, Uint8Array> => {
    const read = () =>
      source.from === 'stdin'
        ? stdin.read(maxDocumentBytes, signal)
        : files.read(source.path, maxDocumentBytes)
    return pipe(
      TE.tryCatch(read, (error) =>
        signal.aborted ? interrupted : usage(`read ${what}: ${nameOf(source)}: ${reasonOf(error)}`),
      ),
      TE.filterOrElse(
        (bytes) => bytes.length <= maxDocumentBytes,
        () => usage(`request ${exceedsMaxBytes}`),
      ),
    )
  }

/** The name of a source in messages. */
export const nameOf = (source: InputSource): string =>
  source.from === 'file' ? source.path : 'standard input'
