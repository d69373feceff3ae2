import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime/runtime'
import { messageOf } from './message'
import { appendJobSummary } from './named-files'
import { cutTo } from './text/cut'
import { breakCommands, sanitize } from './text/harmless'
import type { Redact } from './text/redact'

interface JobContext {
  readonly runtime: Pick<Runtime, 'env' | 'files' | 'stderr'>
  readonly redact: Redact
}

/**
 * Appends Markdown to the job summary of a CI system, if the environment names its file. If the file cannot be written, says
 * so on stderr in a line of `command`, and changes no result.
 */
export const reportToJob = async (
  { runtime, redact }: JobContext,
  command: string,
  markdown: string,
): Promise<void> => {
  const appended = await appendJobSummary(runtime, redact(markdown))()
  if (E.isLeft(appended))
    await runtime.stderr.write(`${command}: ${sanitize(messageOf(appended.left))}\n`)
}

/** GitHub shows no more annotations of one step. */
const maxAnnotations = 10

/** GitHub cuts an annotation at 4 KiB. */
const maxAnnotationBytes = 4000

/**
 * Writes texts as error annotations of GitHub Actions, a line each, which GitHub shows beside the job. Writes nothing outside
 * GitHub Actions. A text is only ever the message of an annotation: it cannot end its line or begin another command.
 */
export const writeAnnotations = (
  { GITHUB_ACTIONS }: Runtime['env'],
  command: string,
  texts: ReadonlyArray<string>,
  redact: Redact,
): string => {
  if (GITHUB_ACTIONS !== 'true') return ''
  const lines = texts.slice(0, maxAnnotations).map((text) => {
    const message = breakCommands(sanitize(cutTo(redact(text), maxAnnotationBytes)))
    return `::error title=svc ${command}::${message.replaceAll('%', '%25')}\n`
  })
  return lines.join('')
}
