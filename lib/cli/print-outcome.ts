import * as E from 'fp-ts/Either'
import { type Failure, internal, isRouteMissing, mapFailureTexts } from '../failure/failure'
import {
  classify,
  exitCodes,
  formatEnvelope,
  formatStderrLines,
  messageOf,
} from '../failure/report'
import { reasonOf } from '../runtime/node/error-reason'
import type { Runtime } from '../runtime/runtime'
import { escapeCiCommands, formatAnnotations } from '../text/sanitize'
import { formatJsonLine } from '../tracing/log'
import type { CommandResult } from './command-result'
import type { ProgramContext } from './declaration'
import { adviseOnFailure, adviseOnResult, canHint, formatHint, type HintContext } from './hint'
import { interruptedWait, type ProgramRun } from './prepare-run'

/** The time in milliseconds that each write may take after an interrupt, in addition to the command's own. */
const writingGraceMs = 1000

/** The result of a command whose stdout is ready to be written. */
interface PrintableResult extends Omit<CommandResult, 'stdout'> {
  readonly stdout: string | Uint8Array | undefined
}

/** The outcome of a run, ready to be printed. */
export type PrintableOutcome = E.Either<Failure, PrintableResult>

/** Redacts, sanitizes and formats texts and documents. Bytes stay as they are. */
export const formatStdout = async (
  stdout: CommandResult['stdout'],
  { runtime, redact }: Pick<ProgramContext, 'runtime' | 'redact'>,
  pretty: boolean,
): Promise<PrintableResult['stdout']> => {
  if (typeof stdout === 'string') return escapeCiCommands(redact(stdout))
  if (stdout === undefined || stdout instanceof Uint8Array) return stdout
  if ('report' in stdout) {
    const report = escapeCiCommands(redact(stdout.report))
    if (!runtime.stdout.isTTY) return report
    const { chooseTextLayout, wrapLines } = await import('../text/terminal')
    return wrapLines(report, chooseTextLayout(runtime.stdout, runtime.env))
  }
  // Loaded only for documents: commands without one start sooner.
  const { printEscaped, redactDraft } = await import('../codec/json/draft')
  return printEscaped(redactDraft(stdout.document, redact), pretty)
}

/** Writes the outcome of a run to stdout and stderr, and resolves with the exit code. Never rejects. */
export const printOutcome = (run: ProgramRun, outcome: PrintableOutcome): Promise<number> =>
  E.isLeft(outcome) ? printFailure(run, outcome.left) : printResult(run, outcome.right)

const printResult = async (run: ProgramRun, result: PrintableResult): Promise<number> => {
  const { exitCode = exitCodes.ok, hint, messages = [], annotations = [] } = result
  const failedWriteCode = await writeResult(run, result)
  for (const message of messages) await writeStderr(run, `${message}\n`)
  const { runtime } = run.context
  const isShown =
    hint?.about === 'one label' && hint.isUrgent ? runtime.stderr.isTTY : canHint(runtime)
  if (hint !== undefined && isShown)
    await writeStderr(run, formatHint(adviseOnResult(hint, createHintContext(run))))
  if (annotations.length > 0) await writeAnnotations(run, annotations)
  return failedWriteCode ?? exitCode
}

/** Writes the stdout of a result, or shows it in the pager. Resolves as `writeStdout` does. */
const writeResult = async (
  run: ProgramRun,
  { stdout, isPaged = false }: PrintableResult,
): Promise<number | undefined> => {
  if (stdout === undefined) return undefined
  const { runtime } = run.context
  if (isPaged && runtime.stdout.isTTY && runtime.env.TERM !== 'dumb') {
    const isShown = await runtime.showInPager?.(`${stdout}\n`, runtime.env)
    if (isShown) return undefined
  }
  return writeStdout(run, stdout)
}

/** Writes a failure twice: to stdout as JSON for programs, and to stderr in words for people. */
const printFailure = async (run: ProgramRun, originalFailure: Failure): Promise<number> => {
  const { runtime, redact } = run.context
  const failure = mapFailureTexts(originalFailure, redact)
  const pretty = run.parsed.passed.get('pretty') === true
  const failedWriteCode = await writeStdout(
    run,
    await dimOnTerminal(runtime, formatEnvelope(failure, pretty)),
  )
  const hint = canHint(runtime) ? await adviseOn(run, failure) : undefined
  await writeStderr(run, formatFailure(run, failure) + (hint === undefined ? '' : formatHint(hint)))
  return failedWriteCode ?? classify(failure).exitCode
}

/** Dims the JSON of a failure on a terminal, where people read the line on stderr. */
const dimOnTerminal = async (
  { stdout, env }: Pick<Runtime, 'stdout' | 'env'>,
  json: string,
): Promise<string> => {
  if (!stdout.isTTY) return json
  const { chooseTextLayout } = await import('../text/terminal')
  return chooseTextLayout(stdout, env).paint('dim', json)
}

/** Formats a failure for stderr: in words, or as a line of the log with `--log-format json`, so that every line is JSON. */
const formatFailure = ({ parsed, context }: ProgramRun, failure: Failure): string => {
  if (parsed.passed.get('log-format') !== 'json') return formatStderrLines(failure)
  const { kind } = classify(failure)
  return formatJsonLine(context.runtime.clock.now(), 'error', messageOf(failure), { kind })
}

/** Advises on a failure. If a key or a path of the service is missing, loads the table of providers to see what would work. */
const adviseOn = async (run: ProgramRun, failure: Failure): Promise<string | undefined> => {
  const hintContext = createHintContext(run)
  if (failure._tag === 'ApiError' && isRouteMissing(failure)) {
    const { adviseOnMissingRoute } = await import('../client/providers/missing-route')
    const { provider, address } = run.context.destinationSettings
    const missingRoute = adviseOnMissingRoute(provider?.value, address?.value)
    return adviseOnFailure(failure, { ...hintContext, missingRoute })
  }
  if (failure._tag !== 'Usage' || !failure.about?.startsWith('key'))
    return adviseOnFailure(failure, hintContext)
  const { describeOtherKeys } = await import('../client/providers/other-keys')
  const otherKeys = describeOtherKeys(run.context.runtime.env, [])
  return adviseOnFailure(failure, { ...hintContext, otherKeys })
}

const createHintContext = ({ argv, parsed, context }: ProgramRun): HintContext => ({
  argv,
  command: parsed.command?.name,
  passed: parsed.passed,
  provider: context.destinationSettings.provider?.value,
  isPiped: !context.runtime.stdin.isTTY,
})

/** Writes text and a newline to stdout. Resolves with an exit code if the write fails or is interrupted, otherwise `undefined`. */
const writeStdout = async (
  run: ProgramRun,
  text: string | Uint8Array,
): Promise<number | undefined> => {
  const line = typeof text === 'string' ? `${text}\n` : Buffer.concat([text, Buffer.from('\n')])
  try {
    const written = await waitForWrite(run, run.context.runtime.stdout.write(line))
    return written === interruptedWait ? exitCodes.interrupted : undefined
  } catch (error) {
    const failure = internal(`write stdout: ${reasonOf(error)}`)
    await writeStderr(run, formatStderrLines(failure))
    return classify(failure).exitCode
  }
}

/** Writes to stderr. A failure is ignored, because nothing is left to report it to. */
const writeStderr = async (run: ProgramRun, text: string): Promise<void> => {
  await waitForWrite(run, run.context.runtime.stderr.write(text)).catch(() => undefined)
}

const waitForWrite = ({ waitAtMost, graceMs }: ProgramRun, write: Promise<void>) =>
  waitAtMost(graceMs + writingGraceMs, write)

/**
 * Writes the error annotations of a result to the stderr of the process. The stderr of the context would escape them, because
 * they are commands for a CI system.
 */
const writeAnnotations = async (
  { parsed, context, rawStderr }: ProgramRun,
  annotations: ReadonlyArray<string>,
): Promise<void> => {
  // The bare `svc` has no name.
  const commandName = parsed.command?.name ?? ''
  const lines = formatAnnotations(context.runtime.env, commandName, annotations, context.redact)
  await rawStderr.write(lines).catch(() => undefined)
}
