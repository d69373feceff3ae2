import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import type { Runtime } from '../runtime/runtime'
import { sanitize } from '../text/sanitize'
import type { Redact } from '../text/secret'
import type { Failure } from './failure'
import { type NamedFile, runFileOperation } from './named-files'
import { messageOf } from './report'

/**
 * Returns a list with the file of the job summary, which GitHub shows on the page of a job. The list is empty if the environment names no
 * such file.
 */
export const listJobSummaryFiles = (env: Runtime['env']): ReadonlyArray<NamedFile> => {
  const path = env.GITHUB_STEP_SUMMARY
  return path ? [{ name: 'GITHUB_STEP_SUMMARY', path }] : []
}

/** Appends Markdown to the job summary if there is one. Fails with a usage error if the file cannot be written. */
export const appendJobSummary = (
  { env, files }: Pick<Runtime, 'env' | 'files'>,
  markdown: string,
): TE.TaskEither<Failure, void> => {
  const [summary] = listJobSummaryFiles(env)
  return summary === undefined
    ? TE.right(undefined)
    : runFileOperation('write job summary', () => files.append(summary.path, `${markdown}\n`))
}

/** The parts of the runtime that `reportToJob` uses. */
interface JobContext {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'stderr'>
  readonly redact: Redact
}

/**
 * Redacts secrets in a Markdown text and appends the text to the job summary, if there is one. Never fails: if the file cannot be
 * written, svc prints a line on stderr that begins with the name of the command.
 */
export const reportToJob = async (
  context: JobContext,
  command: string,
  markdown: string,
): Promise<void> => {
  const { runtime, redact } = context
  const appended = await appendJobSummary(runtime, redact(markdown))()
  if (E.isLeft(appended))
    await runtime.stderr.write(`${command}: ${sanitize(messageOf(appended.left))}\n`)
}
