import type { Runtime } from '../../runtime/runtime'
import { cutTo } from './cut'
import { escapeCiCommands, sanitize } from './sanitize'
import type { Redact } from './secret'

/** GitHub shows at most ten annotations for a step. */
const maxAnnotations = 10

/** GitHub shortens longer annotations. */
const maxAnnotationBytes = 4000

/**
 * Formats the first ten texts as error annotations, one a line, which GitHub Actions shows beside the job. Redacts secrets. Returns
 * `''` outside GitHub Actions. A text cannot end its line or begin another command of GitHub.
 */
export const formatAnnotations = (
  env: Runtime['env'],
  command: string,
  texts: ReadonlyArray<string>,
  redact: Redact,
): string => {
  if (env.GITHUB_ACTIONS !== 'true') return ''
  const lines = texts.slice(0, maxAnnotations).map((text) => {
    const message = escapeCiCommands(sanitize(cutTo(redact(text), maxAnnotationBytes)))
    // GitHub decodes percent-encoded characters.
    return `::error title=svc ${command}::${message.replaceAll('%', '%25')}\n`
  })
  return lines.join('')
}
