import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { reasonOf } from '../runtime/reason'
import type { Files } from '../runtime/runtime'

/**
 * A file as text; invalid UTF-8 becomes U+FFFD and a byte order mark is dropped. Fails with
 * `read <what>: <reason>`, a text for the report.
 */
export const readText = (files: Files, path: string, what: string): TE.TaskEither<string, string> =>
  pipe(
    TE.tryCatch(
      () => files.read(path),
      (error) => `read ${what}: ${reasonOf(error)}`,
    ),
    TE.chainEitherK((bytes) =>
      E.tryCatch(
        () => new TextDecoder().decode(bytes),
        () => `read ${what}: file too large`,
      ),
    ),
  )
