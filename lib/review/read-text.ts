import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { reasonOf } from '../runtime/reason'
import type { Files } from '../runtime/runtime'

/** The most that is read of one file: sources are far smaller, devices have no end. */
export const largestFile = 64 << 20

/** A file's bytes; fails with `read <what>: <reason>`, a text for the report. */
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
 * A file as text; invalid UTF-8 becomes U+FFFD and a byte order mark is dropped. Fails as
 * `readFile` does.
 */
export const readText = (files: Files, path: string, what: string): TE.TaskEither<string, string> =>
  pipe(
    readFile(files, path, what),
    TE.map((bytes) => new TextDecoder().decode(bytes)),
  )
