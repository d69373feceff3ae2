import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { runFileOperation } from '../../failure/named-files'
import type { Redact } from '../../failure/text/secret'
import type { Runtime } from '../../runtime/runtime'

/** Writes the page of `--html` to a file, with secrets redacted. Does nothing if `path` is undefined. */
export const savePage = (
  { files }: Pick<Runtime, 'files'>,
  path: string | undefined,
  formatPage: () => string,
  redact: Redact,
): TE.TaskEither<Failure, void> =>
  path === undefined
    ? TE.right(undefined)
    : runFileOperation(`write page ${path}`, () => files.replace(path, redact(formatPage())))
