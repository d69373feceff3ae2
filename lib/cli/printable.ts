import * as E from 'fp-ts/Either'
import type { Failure } from '../failure/failure'
import { escapeCiCommands } from '../failure/text/sanitize'
import type { Redact } from '../failure/text/secret'
import type { Output } from '../runtime/runtime'
import type { CommandOutcome, CommandResult } from './command-result'

/** Redacts the secrets in lines, and escapes texts that a CI system would run as commands, such as `::error`. */
const cleanLines = (lines: string, redact: Redact): string => escapeCiCommands(redact(lines))

/**
 * Returns an output that writes with `write`. `isDumbTerminal` makes its `isTTY` false, because such a terminal
 * (`TERM=dumb`) cannot erase lines. `isTTY` of the original output is read only on demand: the first read takes Node a
 * millisecond.
 */
export const replaceWrite = (
  output: Output,
  write: Output['write'],
  isDumbTerminal = false,
): Output => ({
  get isTTY() {
    return !isDumbTerminal && output.isTTY
  },
  get columns() {
    return output.columns
  },
  write,
})

/**
 * Returns a stderr that redacts and sanitizes what is written to it. Each write must consist of whole lines. A write never
 * fails: if stderr is closed, the program continues without it. `isDumbTerminal` is as in `replaceWrite`.
 */
export const cleanOutput = (output: Output, redact: Redact, isDumbTerminal: boolean): Output => {
  const write = (data: string | Uint8Array): Promise<void> => {
    const lines = typeof data === 'string' ? data : Buffer.from(data).toString()
    return output.write(cleanLines(lines, redact)).catch(() => undefined)
  }
  return replaceWrite(output, write, isDumbTerminal)
}

/** The result of a command whose stdout is ready to be written. */
export interface PrintableResult extends Omit<CommandResult, 'stdout'> {
  readonly stdout: string | Uint8Array | undefined
}

/** The outcome of a run, ready to be printed. */
export type PrintableOutcome = E.Either<Failure, PrintableResult>

/** Formats the stdout of a command's result. Redacts and sanitizes texts and documents. */
export const makePrintable = async (
  outcome: CommandOutcome,
  redact: Redact,
  pretty: boolean,
): Promise<PrintableOutcome> => {
  if (E.isLeft(outcome)) return outcome
  return E.right({
    ...outcome.right,
    stdout: await formatStdout(outcome.right.stdout, redact, pretty),
  })
}

const formatStdout = async (
  stdout: CommandResult['stdout'],
  redact: Redact,
  pretty: boolean,
): Promise<string | Uint8Array | undefined> => {
  if (typeof stdout === 'string') return cleanLines(stdout, redact)
  if (stdout === undefined || stdout instanceof Uint8Array) return stdout
  // Loaded only for documents: commands without one start sooner.
  const { printEscaped, redactDraft } = await import('../codec/json/draft')
  return printEscaped(redactDraft(stdout.document, redact), pretty)
}
