import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { messageOf } from './message'
import { appendJobSummary } from './named-files'
import { sanitize } from './text/harmless'
import type { Redact } from './text/redact'

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
