import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { exceedsMaxBytes, maxDocumentBytes } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { InputSource } from './mode'

/** The inputs of the program, and the signal that interrupts reading them. */
export type Inputs = Pick<Runtime, 'stdin' | 'files' | 'signal'>

/**
 * Reads an input of at most 16 MiB. `what` names the input in messages: `read request: …`. Fails with a usage error, or as
 * interrupted.
 */
export const readInput =
  (source: InputSource, what: string) =>
  ({ stdin, files, signal }: Inputs): TE.TaskEither<Failure, Uint8Array> =>
  async () => {
    try {
      const bytes = await (source.from === 'stdin'
        ? stdin.read(maxDocumentBytes, signal)
        : files.read(source.path, maxDocumentBytes))
      return bytes.length <= maxDocumentBytes
        ? E.right(bytes)
        : E.left(usage(`request ${exceedsMaxBytes}`))
    } catch (error) {
      if (signal.aborted) return E.left(interrupted)
      return E.left(usage(`read ${what}: ${nameOf(source)}: ${reasonOf(error)}`))
    }
  }

/** The name of an input in messages. */
export const nameOf = (source: InputSource): string =>
  source.from === 'file' ? source.path : 'standard input'
