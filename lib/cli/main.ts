import { cac } from 'cac'
import * as E from 'fp-ts/Either'
import {
  commandLineFailure,
  type Failure,
  internal,
  interrupted,
  nameProvider,
} from '../failure/failure'
import type { BuildInfo } from '../runtime/build'
import type { Runtime } from '../runtime/runtime'
import { type Tracer, type Tracing, untraced } from '../runtime/tracer'
import { openTracing } from '../tracing/open-tracing'
import type { CommandOutcome } from './command-result'
import {
  type AnyCommand,
  type Context,
  listPositionals,
  type Positional,
  type ProgramContext,
} from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags } from './globals'
import type { CommandLine, RefusedLine } from './parse'
import { interruptedWait, type ProgramRun, prepareRun } from './prepare-run'
import { formatStdout, type PrintableOutcome, printOutcome } from './print-outcome'

/**
 * Runs a command line: prepares the run, runs the command, prints the outcome. Resolves with the exit code once
 * everything is written. Never rejects.
 */
export const main = async (
  argv: ReadonlyArray<string>,
  runtime: Runtime,
  buildInfo: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<number> => {
  const run = await prepareRun(argv, runtime, buildInfo, commands)
  const tracing = await startRunTracing(run)
  const outcome = await waitForOutcome(run, determineOutcome(run, tracing.tracer))
  const exitCode = await printOutcome(run, outcome)
  await closeRun(run)
  // Last, so that the result does not wait for the spans to be sent.
  await endRunTracing(run, tracing)
  return exitCode
}

/** Starts tracing if the command makes network calls. An interrupt ends the wait for it. Never rejects. */
const startRunTracing = async (run: ProgramRun): Promise<Tracing> => {
  const { line, context, waitAtMost, graceMs } = run
  if (E.isLeft(line)) return untraced
  const { command, globals } = line.right
  const makesCalls = command?.usesNetwork && !globals.help
  if (!makesCalls) return untraced
  const tracing = await waitAtMost(
    graceMs,
    openTracing(context.runtime, {
      trace: globals.trace,
      noTrace: globals['no-trace'],
      version: context.build.version,
      level: globals['log-level'],
      redact: context.redact,
    }),
  )
  return tracing === interruptedWait ? untraced : tracing
}

/** Runs the command. Resolves with its outcome, redacted and ready to print. */
const determineOutcome = async (run: ProgramRun, tracer: Tracer): Promise<PrintableOutcome> => {
  const { line, context } = run
  if (E.isLeft(line)) return E.left(await suggestTopics(line.left))
  if (context.runtime.signal.aborted) return E.left(interrupted)
  const outcome = await runCommand(context, line.right, tracer)
  if (E.isLeft(outcome))
    return E.left(nameProvider(outcome.left, context.destinationSettings.provider?.value))
  const { stdout, ...result } = outcome.right
  const { pretty } = line.right.globals
  return E.right({ ...result, stdout: await formatStdout(stdout, context, pretty) })
}

/** Adds help topics with a similar name to the message about an unknown command, unless it suggests commands. */
const suggestTopics = async ({ failure, unknownWord }: RefusedLine): Promise<Failure> => {
  if (unknownWord === undefined || failure._tag !== 'CommandLine') return failure
  if (failure.message.includes('; did you mean')) return failure
  const { suggestTopic } = await import('../help/topics')
  return commandLineFailure(failure.message + suggestTopic(unknownWord))
}

/** Runs the command of a command line, or returns the help or the version that the line requests. */
const runCommand = async (
  context: ProgramContext,
  line: CommandLine,
  tracer: Tracer,
): Promise<CommandOutcome> => {
  const { command, globals, flags, passed, args } = line
  if (globals.help || command === undefined) return formatInformation(context, line)
  return dispatch(command, {
    ...context,
    tracer,
    logLevel: globals['log-level'],
    flags,
    globals,
    args,
    isPassed: (name) => passed.has(name),
  })
}

/** Formats the version for `svc --version`, else help. `--help` overrides `--version`. */
const formatInformation = async (
  { build, commands, runtime }: ProgramContext,
  { command, globals, flags }: CommandLine,
): Promise<CommandOutcome> => {
  if (!globals.help && flags.version === true)
    return E.right({ stdout: `svc version ${build.version}` })
  const { chooseLayout, formatHelp } = await import('./help')
  return E.right({ stdout: formatHelp(command, commands, chooseLayout(runtime)) })
}

/**
 * Runs a command through cac. cac gets the command, arguments and flags that svc has parsed. svc does not use cac's own parser, because
 * that parser changes the types of values and drops unknown flags. Each run has a new cac instance, because cac keeps state between
 * runs. Only the chosen command declares its flags to cac: those of all commands would take cac 2 ms.
 */
const dispatch = async (chosen: AnyCommand, context: Context<Flags>): Promise<CommandOutcome> => {
  const cli = cac('svc')
  for (const flag of globalFlags) cli.option(formatCacOption(flag), flag.summary)
  let outcome: Promise<CommandOutcome> | undefined
  for (const command of context.commands) {
    const words = [command.name, ...listPositionals(command).map(formatCacArgument)]
    // cac would check for unknown flags by their camelCase names. The parser of svc has refused unknown flags before.
    const entry = cli.command(words.join(' '), command.summary, { allowUnknownOptions: true })
    entry.action(() => {
      outcome = command.start(context)
    })
    if (command !== chosen) continue
    for (const flag of command.flags) entry.option(formatCacOption(flag), flag.summary)
    cli.matchedCommand = entry
  }
  cli.matchedCommandName = chosen.name
  cli.args = context.args
  cli.options = { ...context.globals, ...context.flags }
  cli.runMatchedCommand()
  if (outcome === undefined) throw new Error(`command "${chosen.name}" did not run`)
  return outcome
}

const formatCacOption = (flag: FlagSpec): string => {
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  const value = flag.type === 'bool' ? '' : ` <${flag.placeholder ?? flag.type}>`
  return `${short}--${flag.name}${value}`
}

const formatCacArgument = ({ name, required, takesRemaining }: Positional): string => {
  const text = takesRemaining ? `...${name}` : name
  return required ? `<${text}>` : `[${text}]`
}

/** Waits for the outcome of a run, unless an interrupt or an uncaught exception ends the run first. Never rejects. */
const waitForOutcome = async (
  { context, waitAtMost, graceMs }: ProgramRun,
  outcome: Promise<PrintableOutcome>,
): Promise<PrintableOutcome> => {
  const { runtime } = context
  const toOutcome = (error: unknown): PrintableOutcome => E.left(toFailure(error, runtime))
  const outcomes = [outcome.catch(toOutcome)]
  if (runtime.uncaughtError !== undefined) outcomes.push(runtime.uncaughtError.then(toOutcome))
  const first = await waitAtMost(graceMs, Promise.race(outcomes))
  return first === interruptedWait ? E.left(interrupted) : first
}

/** Turns an exception into a failure without its stack. The AbortError of an interrupt becomes `interrupted`. */
const toFailure = (error: unknown, { signal }: Runtime): Failure => {
  const isError = error instanceof Error
  if (signal.aborted && isError && error.name === 'AbortError') return interrupted
  return internal(isError ? error.message || error.name : String(error))
}

/** The time in milliseconds after an interrupt that closing what the command has opened may take. */
const closeGraceMs = 500

/** Closes what the command has opened, such as a language model. Never rejects. */
const closeRun = async ({ waitAtMost, close }: ProgramRun): Promise<void> => {
  await waitAtMost(
    closeGraceMs,
    close().catch(() => undefined),
  )
}

/** The time in milliseconds that ending tracing may take after an interrupt, in addition to the command's own. */
const tracingGraceMs = 60

/** Sends the remaining spans, and waits for log lines that are still being written. Never rejects. */
const endRunTracing = async (
  { waitAtMost, graceMs, rawStderr }: ProgramRun,
  tracing: Tracing,
): Promise<void> => {
  // An empty write resolves after all writes before it.
  const allWritten = tracing.shutdown().then(() => rawStderr.write(''))
  const settled = allWritten.catch(() => undefined)
  await waitAtMost(graceMs + tracingGraceMs, settled)
}
