import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import type { Output } from '../runtime/runtime'
import { withoutCommands } from '../text/harmless'
import type { Redact } from '../text/redact'
import type { Result } from './declaration'
import type { Outcome } from './dispatch'

/** Lines for people as an output gets them: without secrets, and without commands of CI systems. D52, D59 */
const shownLines = (lines: string, redact: Redact): string => withoutCommands(redact(lines))

/**
 * Standard error for all of the program: it only gets such lines, each write has to hold whole ones, and a
 * write never fails, because nobody is left to tell and the work goes on without.
 */
export const shownOutput = (output: Output, redact: Redact): Output => ({
  get isTTY() {
    return output.isTTY
  },
  get columns() {
    return output.columns
  },
  write: (data) =>
    output
      .write(shownLines(typeof data === 'string' ? data : Buffer.from(data).toString(), redact))
      .catch(() => undefined),
})

/** What a run ends with, as it is written. */
export type Shown = E.Either<
  Failure,
  { readonly stdout?: string | Uint8Array | undefined; readonly exit?: number | undefined }
>

/** What a command ends with, made fit to show. D52, D59 */
export const shown = async (outcome: Outcome, redact: Redact, pretty: boolean): Promise<Shown> => {
  if (E.isLeft(outcome)) return outcome
  const { stdout, exit } = outcome.right
  return E.right({ stdout: await written(stdout, redact, pretty), exit })
}

const written = async (
  stdout: Result['stdout'],
  redact: Redact,
  pretty: boolean,
): Promise<string | Uint8Array | undefined> => {
  if (typeof stdout === 'string') return shownLines(stdout, redact)
  if (stdout === undefined || !('document' in stdout)) return stdout
  const { printHarmless, withoutSecrets } = await import('../json/shown')
  return printHarmless(withoutSecrets(stdout.document, redact), pretty)
}
