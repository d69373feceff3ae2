import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import type { Runtime } from '../runtime/runtime'
import type { Failure } from './failure'
import { messageOf } from './format-failure'
import { type NamedFile, runFileOperation } from './named-files'
import { sanitize } from './text/sanitize'
import type { Redact } from './text/secret'

/** Returns the file of GitHub's job summary, if the environment names one; else an empty list. Summaries are appended to the file. */
export const findJobSummary = (env: Runtime['env']): ReadonlyArray<NamedFile> => {
  const path = env.GITHUB_STEP_SUMMARY
  return path ? [{ name: 'GITHUB_STEP_SUMMARY', path }] : []
}

/** Appends Markdown to the job summary if there is one. Fails with a usage error. */
export const appendJobSummary = (
  { env, files }: Pick<Runtime, 'env' | 'files'>,
  markdown: string,
): TE.TaskEither<Failure, void> => {
  const [summary] = findJobSummary(env)
  return summary === undefined
    ? TE.right(undefined)
    : runFileOperation('write job summary', () => files.append(summary.path, `${markdown}\n`))
}

interface JobContext {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'stderr'>
  readonly redact: Redact
}

/**
 * Appends Markdown to the job summary of a CI system, if the environment names its file. Never fails: if the file cannot be
 * written, prints a line on stderr that begins with `command`.
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
