import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import { breakCommands } from '../failure/text/harmless'
import type { Redact } from '../failure/text/redact'
import type { Output } from '../runtime/runtime'
import type { CommandResult } from './declaration'
import type { CommandOutcome } from './dispatch'

/** Redacts the secrets in lines, and breaks up commands of CI systems. */
const cleanLines = (lines: string, redact: Redact): string => breakCommands(redact(lines))

/**
 * Wraps an output, so that `write` writes in place of its own. Whether it is a terminal is only found out when
 * asked, because that takes Node a millisecond. A terminal that cannot erase lines counts as none.
 */
export const replaceWrite = (output: Output, write: Output['write'], isDumb = false): Output => ({
  get isTTY() {
    return !isDumb && output.isTTY
  },
  get columns() {
    return output.columns
  },
  write,
})

/**
 * Wraps standard error for the whole program, so that it only receives lines that are fit to show. Each write
 * must consist of whole lines. A write never fails, since nobody can be told and the work goes on without it.
 * `isDumb` is whether the terminal cannot erase lines (`TERM=dumb`).
 */
export const cleanOutput = (output: Output, redact: Redact, isDumb: boolean): Output => {
  const write = (data: string | Uint8Array) =>
    output
      .write(cleanLines(typeof data === 'string' ? data : Buffer.from(data).toString(), redact))
      .catch(() => undefined)
  return replaceWrite(output, write, isDumb)
}

/** The outcome of a run in the form in which it is written. */
export type Printable = E.Either<
  Failure,
  Omit<CommandResult, 'stdout'> & { readonly stdout: string | Uint8Array | undefined }
>

/** Makes the outcome of a command fit to show. */
export const makePrintable = async (
  outcome: CommandOutcome,
  redact: Redact,
  pretty: boolean,
): Promise<Printable> =>
  E.isLeft(outcome)
    ? outcome
    : E.right({ ...outcome.right, stdout: await printStdout(outcome.right.stdout, redact, pretty) })

const printStdout = async (
  stdout: CommandResult['stdout'],
  redact: Redact,
  pretty: boolean,
): Promise<string | Uint8Array | undefined> => {
  if (typeof stdout === 'string') return cleanLines(stdout, redact)
  if (stdout === undefined || !('document' in stdout)) return stdout
  // The commands with documents have loaded this already. The others start sooner without it.
  const { printHarmless, redactDraft } = await import('../codec/json/output')
  return printHarmless(redactDraft(stdout.document, redact), pretty)
}
