import { classify, exitCode } from '../failure/classify'
import { envelope, stderrLines } from '../failure/envelope'
import { type Failure, internal, interrupted } from '../failure/failure'
import { reasonOf } from '../runtime/reason'
import type { Runtime } from '../runtime/runtime'
import { type BuildInfo, resolveVersion } from './build'
import type { AnyCommand, Context, Flags, Values } from './declaration'
import { dispatch, type Outcome } from './dispatch'
import type { GlobalFlags } from './globals'
import { late, orLate } from './interrupt'
import { type CommandLine, parseCommandLine, prettyIn } from './parse'
import { noTracing, startTracing } from './tracing'

/** Milliseconds a command has to end after an interrupt, unless it declares its own. */
const defaultGrace = 100

/** Runs one command line and resolves with the exit code, once everything is written. Never rejects. */
export const main = async (
  argv: ReadonlyArray<string>,
  runtime: Runtime,
  build: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<number> => {
  const parsed = parseCommandLine(argv, commands)
  if (parsed._tag === 'Left') return finish(runtime, parsed, prettyIn(argv))
  const line = parsed.right
  const globals = line.globals as Values<GlobalFlags>
  let tracing = noTracing
  const work = async (): Promise<Outcome> => {
    if (globals.help || line.command === undefined)
      return information(line, runtime, build, commands)
    const { command } = line
    if (command.network) tracing = await startTracing(globals, runtime, build)
    const context: Context<Flags> = {
      ...{ runtime, build, commands, globals, args: line.args, tracer: tracing.tracer },
      flags: line.flags as Values<Flags>,
      given: (name) => line.given.has(name),
    }
    return dispatch({ ...line, command }, context)
  }
  const exit = await finish(
    runtime,
    await settle(runtime, line.command?.graceMs ?? defaultGrace, work()),
    globals.pretty,
  )
  await orLate(runtime, defaultGrace, tracing.shutdown())
  return exit
}

/** `--help` anywhere, `--version` at the root, and the bare `svc`. D21 */
const information = async (
  line: CommandLine,
  runtime: Runtime,
  build: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<Outcome> => {
  if (!line.globals.help && line.flags.version === true) {
    const { version } = resolveVersion(build, runtime.nodeVersion)
    return { _tag: 'Right', right: { stdout: `svc version ${version}` } }
  }
  const { helpText } = await import('./help')
  return { _tag: 'Right', right: { stdout: helpText(line.command, commands) } }
}

/** The outcome of the work, or what ended it from outside: an interrupt, an exception. */
const settle = async (
  runtime: Runtime,
  graceMs: number,
  work: Promise<Outcome>,
): Promise<Outcome> => {
  const crash = runtime.crashed?.then((error): Outcome => left(failureOf(error, runtime)))
  const safe = work.catch((error: unknown): Outcome => left(failureOf(error, runtime)))
  const outcome = await orLate(runtime, graceMs, Promise.race(crash ? [safe, crash] : [safe]))
  return outcome === late ? left(interrupted) : outcome
}

const left = (failure: Failure): Outcome => ({ _tag: 'Left', left: failure })

/** What an exception stands for. Its stack is never shown. */
const failureOf = (error: unknown, runtime: Runtime): Failure => {
  if (runtime.signal.aborted && error instanceof Error && error.name === 'AbortError')
    return interrupted
  const message = error instanceof Error ? error.message || error.name : String(error)
  return internal(message)
}

/** The one exit switch: writes what the outcome leaves on stdout and stderr, and gives its code. */
const finish = async (runtime: Runtime, outcome: Outcome, pretty: boolean): Promise<number> => {
  if (outcome._tag === 'Right') {
    const { stdout, exit = exitCode.ok } = outcome.right
    return stdout === undefined ? exit : ((await print(runtime, stdout)) ?? exit)
  }
  const failure = outcome.left
  const cut = await print(runtime, envelope(failure, pretty))
  await complain(runtime, stderrLines(failure))
  return cut ?? classify(failure).exit
}

/** Writes text and a newline. The exit code of its own, where it could not be written. */
const print = async (runtime: Runtime, text: string | Uint8Array): Promise<number | undefined> => {
  const write = async (): Promise<void> => {
    if (typeof text === 'string') return runtime.stdout.write(`${text}\n`)
    // Two writes: a large body is not copied for the sake of one byte.
    const body = runtime.stdout.write(text)
    await Promise.all([body, runtime.stdout.write('\n')])
  }
  try {
    return (await orLate(runtime, defaultGrace, write())) === late
      ? exitCode.interrupted
      : undefined
  } catch (error) {
    await complain(runtime, stderrLines(internal(`write stdout: ${reasonOf(error)}`)))
    return exitCode.usage
  }
}

/** Writes to stderr. Where that fails there is nobody left to tell. */
const complain = async (runtime: Runtime, text: string): Promise<void> => {
  await orLate(runtime, defaultGrace, runtime.stderr.write(text)).catch(() => undefined)
}
