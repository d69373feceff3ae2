import * as E from 'fp-ts/Either'
import type { Target } from '../client/providers/target'
import {
  type Failure,
  framework,
  internal,
  interrupted,
  nameProvider,
  usage,
} from '../failure/failure'
import { writeAnnotations } from '../failure/text/annotations'
import { createRedact, type Redact } from '../failure/text/redact'
import { type BuildInfo, resolveVersion, type Version } from '../runtime/build'
import type { Runtime } from '../runtime/runtime'
import { openTracing } from '../tracing/open-tracing'
import { untraced } from '../tracing/tracing'
import type { AnyCommand } from './declaration'
import { type CommandOutcome, dispatch } from './dispatch'
import { type FoundKey, findKey, readTarget, secretsIn } from './find-key'
import { finish } from './finish'
import { canHint } from './hint'
import { notInTime, type WaitAtMost, watchInterrupt } from './interrupt'
import { type CommandLine, parseCommandLine, type RefusedLine } from './parse'
import { cleanOutput, makePrintable, type Printable } from './printable'

/** How long a command may take to end after an interrupt, unless it declares otherwise, in milliseconds. */
const defaultGrace = 100

/** How much longer writing the outcome may take, in milliseconds. A busy machine needs it to write at all. */
const writingGrace = 1000

/** How much longer than the command ending tracing may take, in milliseconds. */
const tracingGrace = 60

/** Runs a command line, and resolves with the exit code once everything is written. Never rejects. */
export const main = async (
  argv: ReadonlyArray<string>,
  outside: Runtime,
  recorded: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<number> => {
  const prepared = await prepare(argv, outside, recorded, commands)
  const { line } = prepared
  const outcome = E.isLeft(line)
    ? E.left(await suggestHelp(line.left))
    : await settle(prepared, work(prepared, line.right))
  const exit = await print(prepared, argv, outcome)
  await annotate(prepared, outside, outcome)
  await endTracing(prepared, outside)
  return exit
}

/** The failure of a refused line. If its first word is like a topic's name rather than a command's, it says so. */
const suggestHelp = async ({ failure, unknown }: RefusedLine): Promise<Failure> => {
  if (
    unknown === undefined ||
    failure._tag !== 'Framework' ||
    failure.message.includes('; did you')
  )
    return failure
  const { suggestTopic } = await import('../help/topics')
  return framework(failure.message + suggestTopic(unknown))
}

/** Everything that a run needs before its command starts. */
interface Prepared {
  readonly line: E.Either<RefusedLine, CommandLine>
  /** The outside world, with a stderr that redacts secrets. */
  readonly runtime: Runtime
  readonly waitAtMost: WaitAtMost
  /** How long the command may take to end after an interrupt, in milliseconds. */
  readonly graceMs: number
  readonly redact: Redact
  readonly target: Target
  readonly key: FoundKey
  readonly build: Version
  readonly commands: ReadonlyArray<AnyCommand>
  /** The tracing that the work has opened. It ends after the outcome is printed. */
  readonly opened: { tracing: typeof untraced }
}

/** Parses the command line and finds the secrets that must not be shown. */
const prepare = async (
  argv: ReadonlyArray<string>,
  outside: Runtime,
  recorded: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<Prepared> => {
  const { env } = outside
  const waitAtMost = watchInterrupt(outside)
  const line = parseCommandLine(argv, commands, env)
  const { command, passed, secrets } = E.isLeft(line) ? line.left : line.right
  const target = readTarget(passed, env)
  // Waiting for the key can take forever: its file may be a pipe that nobody writes to.
  const found = await waitAtMost(defaultGrace, findKey(outside, target))
  const key = found === notInTime ? { failure: interrupted } : found
  const redact = createRedact([...secrets, ...secretsIn(env), key.key?.value ?? ''])
  return {
    line,
    runtime: { ...outside, stderr: cleanOutput(outside.stderr, redact, env.TERM === 'dumb') },
    waitAtMost,
    graceMs: command?.graceMs ?? defaultGrace,
    redact,
    target,
    key,
    build: resolveVersion(recorded, outside.nodeVersion),
    commands,
    opened: { tracing: untraced },
  }
}

/** Does the work of the command, and makes its outcome fit to show. */
const work = async (prepared: Prepared, line: CommandLine): Promise<Printable> => {
  const outcome = await runCommand(prepared, line)
  if (E.isLeft(outcome)) return E.left(nameProvider(outcome.left, prepared.target.provider?.value))
  return makePrintable(outcome, prepared.redact, line.globals.pretty)
}

const runCommand = async (prepared: Prepared, line: CommandLine): Promise<CommandOutcome> => {
  const { runtime, redact, target, key, build, commands, opened } = prepared
  const { command, globals, flags, passed, args } = line
  if (globals.help || command === undefined) return printInformation(prepared, line)
  const missing = refuseKeyboard(line, runtime)
  if (missing !== undefined) return E.left(missing)
  const level = globals['log-level']
  if (command.network) {
    const { trace, 'no-trace': noTrace } = globals
    const settings = { trace, noTrace, version: build.version, level, redact }
    opened.tracing = await openTracing(runtime, settings)
  }
  return dispatch(command, {
    runtime,
    redact,
    build,
    tracer: opened.tracing.tracer,
    target,
    key,
    level,
    flags,
    globals,
    args,
    commands,
    given: (name) => passed.has(name),
  })
}

/** Prints the outcome, and resolves with the exit code. */
const print = (
  prepared: Prepared,
  argv: ReadonlyArray<string>,
  outcome: Printable,
): Promise<number> => {
  const { line, runtime, waitAtMost, graceMs, redact, target } = prepared
  const { command, passed } = E.isLeft(line) ? line.left : line.right
  const hintContext = () => ({
    argv,
    command: command?.name,
    passed,
    provider: target.provider?.value,
    isPiped: !runtime.stdin.isTTY,
  })
  const end = {
    runtime,
    waitAtMost,
    graceMs: graceMs + writingGrace,
    redact,
    hintContext: () => (canHint(runtime) ? hintContext() : undefined),
  }
  return finish(end, outcome, passed.get('pretty') === true)
}

/**
 * Writes the error annotations of a result. They go past the stderr of the command, which breaks up commands of CI systems.
 */
const annotate = async (
  { line, redact }: Prepared,
  { env, stderr }: Runtime,
  outcome: Printable,
): Promise<void> => {
  if (E.isLeft(outcome) || E.isLeft(line)) return
  const { annotations = [] } = outcome.right
  if (annotations.length === 0) return
  const name = line.right.command?.name ?? ''
  await stderr.write(writeAnnotations(env, name, annotations, redact)).catch(() => undefined)
}

/** Sends the spans that are left, and waits for log lines that are still being written. */
const endTracing = async (prepared: Prepared, { stderr }: Runtime): Promise<void> => {
  const { opened, waitAtMost, graceMs } = prepared
  // An empty write is done when all writes before it are.
  const quiet = opened.tracing.shutdown().then(() => stderr.write(''))
  await waitAtMost(
    graceMs + tracingGrace,
    quiet.catch(() => undefined),
  )
}

/**
 * Refuses to read rows from the keyboard: if the flag of the command's input is missing and nothing is piped. `-i -` reads
 * them.
 */
const refuseKeyboard = (
  { command, passed }: CommandLine,
  { stdin }: Runtime,
): Failure | undefined => {
  const input = command?.flags.find((flag) => flag.type === 'string' && flag.default === '-')
  const isSpared = command?.flags.some(
    (flag) => flag.type === 'bool' && flag.withoutInput && passed.has(flag.name),
  )
  return input !== undefined && !isSpared && !passed.has(input.name) && stdin.isTTY
    ? usage('no rows given: pass --input (-i), or pipe them to stdin')
    : undefined
}

/** Prints what `--help`, `--version` and the bare `svc` ask for. */
const printInformation = async (
  { build, commands, runtime }: Prepared,
  { command, globals, flags }: CommandLine,
): Promise<CommandOutcome> => {
  if (!globals.help && flags.version === true)
    return E.right({ stdout: `svc version ${build.version}` })
  const { layoutFor, writeHelp } = await import('./help')
  return E.right({ stdout: writeHelp(command, commands, layoutFor(runtime)) })
}

/** The outcome of the work, unless an interrupt or an uncaught exception ends it first. */
const settle = async (
  { runtime, waitAtMost, graceMs }: Prepared,
  done: Promise<Printable>,
): Promise<Printable> => {
  const fail = (error: unknown): Printable => E.left(explainException(error, runtime))
  const ends = [done.catch(fail), ...(runtime.crashed ? [runtime.crashed.then(fail)] : [])]
  const outcome = await waitAtMost(graceMs, Promise.race(ends))
  return outcome === notInTime ? E.left(interrupted) : outcome
}

/** Turns an exception into a failure. Its stack is never shown. */
const explainException = (error: unknown, runtime: Runtime): Failure => {
  if (runtime.signal.aborted && error instanceof Error && error.name === 'AbortError')
    return interrupted
  const message = error instanceof Error ? error.message || error.name : String(error)
  return internal(message)
}
