import type { Runtime } from '../../runtime/runtime'
import { cutTo } from './cut'
import { breakCommands, sanitize } from './harmless'
import type { Redact } from './redact'

/** GitHub shows no more annotations of one step. */
const maxAnnotations = 10

/** GitHub cuts an annotation at 4 KiB. */
const maxAnnotationBytes = 4000

/**
 * Writes texts as error annotations of GitHub Actions, a line each, which GitHub shows beside the job. Writes nothing outside
 * GitHub Actions. A text is only ever the message of an annotation: it cannot end its line or begin another command.
 */
export const formatAnnotations = (
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
