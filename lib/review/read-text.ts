import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files } from '../runtime/runtime'

/** The maximum size of configuration and spec files. */
export const maxFileBytes = 64 << 20

/** The rules for reading the files of a review. */
export interface FileRules {
  readonly files: Files
  /** The folder of the configuration, to which paths are relative. */
  readonly folder: string
  /** `true` if links may point outside that folder. */
  readonly followLinks: boolean
}

/** The beginning of a file. */
interface ReadText {
  readonly text: string
  /** The size of the whole file, in bytes. If it was read completely, the size of its text in UTF-8. */
  readonly size: number
}

/**
 * Reads the first `limit` bytes of a regular file as text. Invalid UTF-8 becomes U+FFFD, and a byte order mark is
 * dropped. Fails with a message for the report, `read <description>: <reason>`.
 */
export const readText = (
  { files, folder, followLinks }: FileRules,
  path: string,
  description: string,
  limit: number,
  signal: AbortSignal,
): TE.TaskEither<string, ReadText> =>
  pipe(
    TE.tryCatch(
      () => files.readRegular(path, { limit, signal, ...(followLinks ? {} : { within: folder }) }),
      (error) => `read ${description}: ${signal.aborted ? 'interrupted' : reasonOf(error)}`,
    ),
    TE.map(({ bytes, size }) => {
      const text = new TextDecoder().decode(bytes)
      return { text, size: bytes.length > limit ? size : Buffer.byteLength(text) }
    }),
  )
