import * as E from 'fp-ts/Either'
import { type Failure, internal, interrupted, usage } from '../failure/failure'
import { createRedact } from '../failure/text/redact'
import type { Runtime } from '../runtime/runtime'
import { openTracing } from '../tracing/open-tracing'
import { untraced } from '../tracing/tracing'
import { type BuildInfo, resolveVersion, type Version } from './build'
import type { AnyCommand } from './declaration'
import { dispatch, type Outcome } from './dispatch'
import { findCommand } from './find-command'
import { findKey } from './find-key'
import { type End, finish } from './finish'
import type { Flags, Values } from './flags'
import { canHint } from './hint'
import { notInTime, type WaitAtMost, watchInterrupt } from './interrupt'
import { type CommandLine, isPrettyWanted, parseCommandLine } from './parse'
import { cleanOutput, makePrintable, type Printable } from './printable'
import { secretsOf } from './secrets'

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
  const waitAtMost = watchInterrupt(outside)
  const parsed = parseCommandLine(argv, commands, outside.env)
  const target = readTarget(new Map(), outside.env)
  // Waiting for the key can take forever: its file may be a pipe that nobody writes to.
  const found = await waitAtMost(defaultGrace, findKey(outside, target))
  const key = found === notInTime ? { failure: interrupted } : found
  const redact = createRedact([...secretsOf(argv, outside.env), key.key?.value ?? ''])
  const stderr = cleanOutput(outside.stderr, redact, outside.env.TERM === 'dumb')
  const runtime = { ...outside, stderr }
  const endOf = (ms: number, own: Values<Flags>): End => ({
    ...{ runtime, waitAtMost, redact, graceMs: ms },
    hintContext: () =>
      canHint(runtime)
        ? {
            argv,
            command: findCommandName(argv, commands),
            input: own.input,
            provider: target.provider?.value,
            isPiped: !runtime.stdin.isTTY,
          }
        : undefined,
  })
  if (E.isLeft(parsed)) return finish(endOf(defaultGrace, {}), parsed, isPrettyWanted(argv))
  const line = parsed.right
  const { command, globals, flags, passed, args } = line
  const graceMs = command?.graceMs ?? defaultGrace
  const build = resolveVersion(recorded, runtime.nodeVersion)
  let tracing = untraced
  const work = async (): Promise<Outcome> => {
    if (globals.help || command === undefined)
      return printInformation(line, build, commands, runtime)
    const missing = refuseKeyboard(line, runtime)
    if (missing !== undefined) return E.left(missing)
    const level = globals['log-level']
    if (command.network) {
      tracing = await openTracing(runtime, {
        trace: globals.trace,
        noTrace: globals['no-trace'],
        version: build.version,
        level,
        redact,
      })
    }
    const { tracer } = tracing
    return dispatch(command, {
      ...{ runtime, redact, build, tracer, target, key, level, flags, globals, args, commands },
      given: (name) => passed.has(name),
    })
  }
  const ended = work().then((outcome) => makePrintable(outcome, redact, globals.pretty))
  const outcome = await settle(runtime, waitAtMost, graceMs, ended)
  const exit = await finish(endOf(graceMs + writingGrace, flags), outcome, globals.pretty)
  // The empty write waits for log lines that are still being written.
  const quiet = tracing.shutdown().then(() => outside.stderr.write(''))
  await waitAtMost(
    graceMs + tracingGrace,
    quiet.catch(() => undefined),
  )
  return exit
}

/** The value of a flag on a line that cannot be parsed. */
const findFlag = (argv: ReadonlyArray<string>, name: string): string | undefined => {
  const at = argv.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  const word = argv[at]
  return word === `--${name}` ? argv[at + 1] : word?.slice(name.length + 3)
}

/**
 * Refuses to read rows from the keyboard, which a command does where the flag of its input is missing and nothing
 * is piped. `-i -` reads them. D85
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

/** The name of the command that a command line names, if any. */
const findCommandName = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
): string | undefined => {
  const found = findCommand(argv, commands)
  return 'command' in found ? found.command?.name : undefined
}

/** Prints what `--help`, `--version` and the bare `svc` ask for. D21 */
const printInformation = async (
  { command, globals, flags }: CommandLine,
  { version }: Version,
  commands: ReadonlyArray<AnyCommand>,
  runtime: Runtime,
): Promise<Outcome> => {
  if (!globals.help && flags.version === true) return E.right({ stdout: `svc version ${version}` })
  const { layoutFor, writeHelp } = await import('./help')
  return E.right({ stdout: writeHelp(command, commands, layoutFor(runtime)) })
}

/** The outcome of the work, unless an interrupt or an exception that nobody caught ends it. */
const settle = async (
  runtime: Runtime,
  waitAtMost: WaitAtMost,
  graceMs: number,
  work: Promise<Printable>,
): Promise<Printable> => {
  const fail = (error: unknown): Printable => E.left(explainException(error, runtime))
  const ends = [work.catch(fail), ...(runtime.crashed ? [runtime.crashed.then(fail)] : [])]
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
