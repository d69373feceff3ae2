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
import type { Tracer } from '../runtime/tracer'
import type { AnyCommand } from './declaration'
import type { RefusedLine } from './parse'
import { type ProgramRun, prepareRun, waitInterrupted } from './prepare-run'
import { makePrintable, type PrintableOutcome, printOutcome } from './print-outcome'
import { endRunTracing, runCommand, startRunTracing } from './run-command'

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
  await endRunTracing(run, tracing)
  return exitCode
}

/** Runs the command. Resolves with its outcome, redacted and ready to print. */
const determineOutcome = async (run: ProgramRun, tracer: Tracer): Promise<PrintableOutcome> => {
  const { line, context } = run
  if (E.isLeft(line)) return E.left(await suggestTopics(line.left))
  if (context.runtime.signal.aborted) return E.left(interrupted)
  const outcome = await runCommand(context, line.right, tracer)
  if (E.isLeft(outcome))
    return E.left(nameProvider(outcome.left, context.destinationSettings.provider?.value))
  return makePrintable(outcome, context.redact, line.right.globals.pretty)
}

/** Adds help topics with a similar name to the message about an unknown command, unless it suggests commands. */
const suggestTopics = async ({ failure, unknownWord }: RefusedLine): Promise<Failure> => {
  if (unknownWord === undefined || failure._tag !== 'CommandLine') return failure
  if (failure.message.includes('; did you mean')) return failure
  const { suggestTopic } = await import('../help/topics')
  return commandLineFailure(failure.message + suggestTopic(unknownWord))
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
  return first === waitInterrupted ? E.left(interrupted) : first
}

/** Turns an exception into a failure without its stack. The AbortError of an interrupt becomes `interrupted`. */
const toFailure = (error: unknown, { signal }: Runtime): Failure => {
  const isError = error instanceof Error
  if (signal.aborted && isError && error.name === 'AbortError') return interrupted
  return internal(isError ? error.message || error.name : String(error))
}
