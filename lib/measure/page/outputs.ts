import * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import { access } from '../../failure/named-files'
import type { Redact } from '../../failure/text/redact'
import type { Runtime } from '../../runtime/runtime'
import type { Evaluation } from '../evaluate'
import { type Provenance, writePage } from './page'

/** Writes the page of `--html`, with secrets redacted. */
export const savePage = (
  { files }: Pick<Runtime, 'files'>,
  path: string | undefined,
  evaluation: Evaluation,
  provenance: Provenance,
  redact: Redact,
): TE.TaskEither<Failure, void> =>
  path === undefined
    ? TE.right(undefined)
    : access(`write page ${path}`, () =>
        files.replace(path, redact(writePage(evaluation, provenance))),
      )
