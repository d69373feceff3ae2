import { type Failure, internal, interrupted, usage } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import { createRedact } from '../text/redact'
import { type BuildInfo, resolveVersion, type Version } from './build'
import type { AnyCommand, Context, Flags, Values } from './declaration'
import { dispatch, type Outcome } from './dispatch'
import { finish } from './finish'
import { type GlobalFlags, refusedGlobal } from './globals'
import { late, type OrLate, watchInterrupt } from './interrupt'
import { type CommandLine, parseCommandLine, prettyIn } from './parse'
import { secretsOf } from './secrets'
import { type Shown, shown, shownOutput } from './shown-output'
import { noTracing, startTracing } from './tracing'

/** Milliseconds a command has to end after an interrupt, unless it declares its own. */
const defaultGrace = 100

/** Milliseconds that writing the outcome has after the command's own, and tracing after both. */
const moreGrace = 30

/** Runs one command line and resolves with the exit code, once everything is written. Never rejects. */
export const main = async (
  argv: ReadonlyArray<string>,
  outside: Runtime,
  recorded: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<number> => {
  const redact = createRedact(secretsOf(argv, outside.env))
  const runtime = { ...outside, stderr: shownOutput(outside.stderr, redact) }
  const orLate = watchInterrupt(runtime)
  const parsed = parseCommandLine(argv, commands)
  if (parsed._tag === 'Left') {
    return finish({ runtime, orLate, graceMs: defaultGrace, redact }, parsed, prettyIn(argv))
  }
  const line = parsed.right
  const graceMs = line.command?.graceMs ?? defaultGrace
  const build = resolveVersion(recorded, runtime.nodeVersion)
  const globals = line.globals as Values<GlobalFlags>
  let tracing = noTracing
  const work = async (): Promise<Outcome> => {
    if (globals.help || line.command === undefined) return information(line, build, commands)
    const { command } = line
    const refused = refusedGlobal(globals)
    if (refused !== undefined) return left(usage(refused))
    if (command.network) tracing = await startTracing(globals, runtime, build, redact)
    const context: Context<Flags> = {
      ...{ runtime, redact, build, commands, globals, args: line.args, tracer: tracing.tracer },
      flags: line.flags as Values<Flags>,
      given: (name) => line.given.has(name),
    }
    return dispatch({ ...line, command }, context)
  }
  const ended = work().then((outcome) => shown(outcome, redact, globals.pretty))
  const outcome = await settle(runtime, orLate, graceMs, ended)
  const end = { runtime, orLate, graceMs: graceMs + moreGrace, redact }
  const exit = await finish(end, outcome, globals.pretty)
  await orLate(graceMs + 2 * moreGrace, tracing.shutdown())
  // Log lines may still be on their way.
  await orLate(
    graceMs + 2 * moreGrace,
    runtime.stderr.write('').catch(() => undefined),
  )
  return exit
}

/** `--help` anywhere, `--version` at the root, and the bare `svc`. D21 */
const information = async (
  line: CommandLine,
  { version }: Version,
  commands: ReadonlyArray<AnyCommand>,
): Promise<Outcome> => {
  if (!line.globals.help && line.flags.version === true) {
    return { _tag: 'Right', right: { stdout: `svc version ${version}` } }
  }
  const { helpText } = await import('./help')
  return { _tag: 'Right', right: { stdout: helpText(line.command, commands) } }
}

/** The outcome of the work, or what ended it from outside: an interrupt, an exception. */
const settle = async (
  runtime: Runtime,
  orLate: OrLate,
  graceMs: number,
  work: Promise<Shown>,
): Promise<Shown> => {
  const crash = runtime.crashed?.then((error): Shown => left(failureOf(error, runtime)))
  const safe = work.catch((error: unknown): Shown => left(failureOf(error, runtime)))
  const outcome = await orLate(graceMs, Promise.race(crash ? [safe, crash] : [safe]))
  return outcome === late ? left(interrupted) : outcome
}

const left = (failure: Failure): Shown => ({ _tag: 'Left', left: failure })

/** What an exception stands for. Its stack is never shown. */
const failureOf = (error: unknown, runtime: Runtime): Failure => {
  if (runtime.signal.aborted && error instanceof Error && error.name === 'AbortError')
    return interrupted
  const message = error instanceof Error ? error.message || error.name : String(error)
  return internal(message)
}
