import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { maxDocumentBytes, tooLargeMessage } from '../../codec/json/parse'
import { type Failure, interrupted, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Runtime } from '../../runtime/runtime'
import type { InputSource } from './request-mode'

/** The inputs of svc, and the signal that interrupts reading them. */
export type Inputs = Pick<Runtime, 'stdin' | 'files' | 'signal'>

/**
 * Reads an input of at most 16 MiB. `label` names the input in messages: `read request: …`. Fails with a usage error, or as
 * interrupted.
 */
export const readInput =
  (source: InputSource, label: string) =>
  ({ stdin, files, signal }: Inputs): TE.TaskEither<Failure, Uint8Array> =>
  async () => {
    try {
      const bytes = await (source.from === 'stdin'
        ? stdin.read(maxDocumentBytes, signal)
        : files.read(source.path, maxDocumentBytes))
      // Both reads return more bytes than the limit if there are more.
      return bytes.length <= maxDocumentBytes
        ? E.right(bytes)
        : E.left(usage(`request ${tooLargeMessage}`))
    } catch (error) {
      if (signal.aborted) return E.left(interrupted)
      return E.left(usage(`read ${label}: ${describeSource(source)}: ${reasonOf(error)}`))
    }
  }

/** Returns the name of an input for messages: the path, or `standard input`. */
export const describeSource = (source: InputSource): string =>
  source.from === 'file' ? source.path : 'standard input'
