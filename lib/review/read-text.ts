import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { reasonOf } from '../runtime/reason'
import type { Files } from '../runtime/runtime'

/** The most bytes that are read of one file. Sources are far smaller, and a device would have no end. */
export const largestFile = 64 << 20

/** Reads a file. Fails with a text for the report: `read <what>: <reason>`. */
const readFile = (files: Files, path: string, what: string): TE.TaskEither<string, Uint8Array> =>
  pipe(
    TE.tryCatch(
      () => files.read(path, largestFile),
      (error) => `read ${what}: ${reasonOf(error)}`,
    ),
    TE.filterOrElse(
      (bytes) => bytes.length <= largestFile,
      () => `read ${what}: file exceeds 64 MiB`,
    ),
  )

/**
 * Reads a file as text. Invalid UTF-8 becomes U+FFFD, and a byte order mark is dropped. Fails with a text for
 * the report: `read <what>: <reason>`.
 */
export const readText = (files: Files, path: string, what: string): TE.TaskEither<string, string> =>
  pipe(
    readFile(files, path, what),
    TE.map((bytes) => new TextDecoder().decode(bytes)),
  )
