import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import type { Output } from '../runtime/runtime'
import { breakCommands } from '../text/harmless'
import type { Redact } from '../text/redact'
import type { Result } from './declaration'
import type { Outcome } from './dispatch'

/** Makes lines fit to show: redacts secrets, and breaks up commands of CI systems. D52, D59 */
const shownLines = (lines: string, redact: Redact): string => breakCommands(redact(lines))

/**
 * Wraps an output, so that `write` writes in place of its own. Whether it is a terminal is only found out when
 * asked.
 */
export const writtenBy = (output: Output, write: Output['write']): Output => ({
  get isTTY() {
    return output.isTTY
  },
  get columns() {
    return output.columns
  },
  write,
})

/**
 * Wraps standard error for the whole program, so that it only receives lines that are fit to show. Each write
 * must consist of whole lines. A write never fails, since nobody can be told and the work goes on without it.
 */
export const shownOutput = (output: Output, redact: Redact): Output =>
  writtenBy(output, (data) =>
    output
      .write(shownLines(typeof data === 'string' ? data : Buffer.from(data).toString(), redact))
      .catch(() => undefined),
  )

/** The outcome of a run in the form in which it is written. */
export type Shown = E.Either<
  Failure,
  { readonly stdout?: string | Uint8Array | undefined; readonly exit?: number | undefined }
>

/** Makes the outcome of a command fit to show. D52, D59 */
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
  const { printHarmless, redactDraft: withoutSecrets } = await import('../json/output')
  return printHarmless(withoutSecrets(stdout.document, redact), pretty)
}
