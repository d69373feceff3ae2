import * as E from 'fp-ts/Either'
import {
  type DestinationSettings,
  type Setting,
  selectDestinationSettings,
} from '../client/providers/destination-settings'
import { usage } from '../failure/failure'
import { type BuildInfo, resolveVersion } from '../runtime/build'
import { replaceWrite } from '../runtime/node/output'
import type { Output, Runtime } from '../runtime/runtime'
import { escapeCiCommands } from '../text/sanitize'
import { createRedact } from '../text/secret'
import { type AnyCommand, flagsOf, type ProgramContext } from './declaration'
import { findKey, listSecrets } from './find-key'
import { globalFlags } from './globals'
import { type CommandLine, type ParsedArguments, parseCommandLine, type RefusedLine } from './parse'
import { mapPathArguments } from './path-arguments'
import { removeFlags } from './tokens'
import type { FlagValue } from './values'

/** The time in milliseconds that a command may take to end after an interrupt, unless it declares another. */
const defaultGraceMs = 100

/** The value that a wait resolves with if an interrupt has ended it. */
export const interruptedWait = Symbol('interrupted wait')

/** Waits for a promise. After an interrupt it waits for at most `graceMs` milliseconds, counted from the interrupt. */
export type WaitAtMost = <A>(
  graceMs: number,
  promise: Promise<A>,
) => Promise<A | typeof interruptedWait>

/** A run of the program, prepared for its command. */
export interface ProgramRun {
  /** The arguments after the program's name. They may hold secrets. */
  readonly argv: ReadonlyArray<string>
  /** The parsed arguments, whether or not they can be run. */
  readonly parsed: ParsedArguments
  /** The command line to run, or the refusal. */
  readonly line: E.Either<RefusedLine, CommandLine>
  readonly context: ProgramContext
  readonly waitAtMost: WaitAtMost
  /** The time in milliseconds that the command may take to end after an interrupt. */
  readonly graceMs: number
  /** The stderr of the process, which does not redact or sanitize lines. */
  readonly rawStderr: Output
  /** Runs the functions that the command has passed to `atEnd`. */
  readonly close: () => Promise<void>
}

/**
 * Parses the command line, and finds the API key and the other secrets that must not be shown. From then on the
 * `context` redacts them.
 */
export const prepareRun = async (
  argv: ReadonlyArray<string>,
  processRuntime: Runtime,
  buildInfo: BuildInfo,
  commands: ReadonlyArray<AnyCommand>,
): Promise<ProgramRun> => {
  const { env, nodeVersion, stdin, stderr: rawStderr } = processRuntime
  const waitAtMost = watchInterrupt(processRuntime)
  const line = refuseKeyboardInput(parseCommandLine(argv, commands, env), stdin)
  const parsed = E.isLeft(line) ? line.left : line.right
  const destinationSettings = readDestinationSettings(parsed.passed, env)
  // Reading the key can take forever: its file may be a pipe without a writer. An interrupt ends the wait.
  const foundKey = await waitAtMost(defaultGraceMs, findKey(processRuntime, destinationSettings))
  const environmentKey = foundKey === interruptedWait ? {} : foundKey
  const keys = environmentKey.key === undefined ? [] : [environmentKey.key.value]
  const redact = createRedact([...parsed.secrets, ...listSecrets(env), ...keys])
  const isDumbTerminal = env.TERM === 'dumb'
  const layOut = await loadLayout(rawStderr, env)
  const stderr = cleanOutput(
    rawStderr,
    (lines) => layOut(escapeCiCommands(redact(lines))),
    isDumbTerminal,
  )
  const runsAtEnd: Array<() => Promise<void>> = []
  return {
    argv,
    parsed,
    line,
    context: {
      runtime: { ...processRuntime, stderr },
      redact,
      build: resolveVersion(buildInfo, nodeVersion),
      destinationSettings,
      environmentKey,
      commands,
      describeArgv: (names, mapPath) => {
        const flags = [...globalFlags, ...flagsOf(parsed.command)]
        return mapPathArguments(removeFlags(argv, flags, names), commands, mapPath)
      },
      atEnd: (run) => runsAtEnd.push(run),
    },
    waitAtMost,
    graceMs: parsed.command?.graceMs ?? defaultGraceMs,
    rawStderr,
    close: async () => {
      await Promise.all(runsAtEnd.map((run) => run()))
    },
  }
}

/**
 * Refuses a command that would read rows from the keyboard by accident: `--input` is absent, and stdin is a terminal. You can
 * still read rows from the keyboard with `-i -`.
 */
const refuseKeyboardInput = (
  line: E.Either<RefusedLine, CommandLine>,
  stdin: Runtime['stdin'],
): E.Either<RefusedLine, CommandLine> => {
  if (E.isLeft(line) || line.right.globals.help) return line
  const { command, passed } = line.right
  const flags = command?.flags ?? []
  // The flag for rows is the one that reads stdin unless it is passed.
  const inputFlag = flags.find((flag) => flag.type === 'string' && flag.default === '-')
  if (inputFlag === undefined || passed.has(inputFlag.name)) return line
  const skipsInput = flags.some(
    (flag) => flag.type === 'bool' && flag.skipsInput && passed.has(flag.name),
  )
  if (skipsInput || !stdin.isTTY) return line
  const failure = usage('no rows given: pass --input (-i), or pipe them to stdin')
  return E.left({ ...line.right, failure })
}

/** Watches for an interrupt from now on. Returns a function that waits for promises; an interrupt shortens its waits. */
const watchInterrupt = ({ signal, clock }: Runtime): WaitAtMost => {
  const interruptedAtMs = new Promise<number>((resolve) => {
    const resolveWithTime = (): void => resolve(clock.monotonic())
    if (signal.aborted) resolveWithTime()
    else signal.addEventListener('abort', resolveWithTime)
  })
  return async (graceMs, promise) => {
    // Does nothing until an interrupt starts a timer.
    let cancelTimer = (): void => undefined
    const graceOver = interruptedAtMs.then(
      (atMs) =>
        new Promise<typeof interruptedWait>((resolve) => {
          const remainingMs = graceMs - (clock.monotonic() - atMs)
          cancelTimer = clock.timer(Math.max(0, remainingMs), () => resolve(interruptedWait))
        }),
    )
    return Promise.race([promise, graceOver]).finally(() => cancelTimer())
  }
}

/** Reads the settings that decide where calls go, from the flags on the command line and the environment. */
export const readDestinationSettings = (
  passed: ReadonlyMap<string, FlagValue>,
  env: Runtime['env'],
): DestinationSettings => {
  const createSetting = (name: string): Setting | undefined => {
    const value = passed.get(name)
    return typeof value === 'string' ? { value, source: `--${name}` } : undefined
  }
  return selectDestinationSettings(
    {
      provider: createSetting('provider'),
      dialect: createSetting('dialect'),
      address: createSetting('base-url'),
      key: createSetting('api-key'),
      model: createSetting('model'),
    },
    env,
  )
}

/** Loads the function that lays out lines of stderr for a terminal. In a pipe, lines stay as they are. */
const loadLayout = async (
  output: Output,
  env: Runtime['env'],
): Promise<(lines: string) => string> => {
  if (!output.isTTY || env.TERM === 'dumb') return (lines) => lines
  const { chooseTextLayout, layOutMessages } = await import('../text/terminal')
  return (lines) => layOutMessages(lines, chooseTextLayout(output, env))
}

/**
 * Returns a stderr that applies `clean` to what is written to it: it redacts and sanitizes lines. Each write must consist of whole lines.
 * A write never fails: if stderr is closed, the program continues without it. `isDumbTerminal` makes `isTTY` false.
 */
export const cleanOutput = (
  output: Output,
  clean: (lines: string) => string,
  isDumbTerminal: boolean,
): Output => {
  const write = (data: string | Uint8Array): Promise<void> => {
    const lines = typeof data === 'string' ? data : Buffer.from(data).toString()
    return output.write(clean(lines)).catch(() => undefined)
  }
  return replaceWrite(output, write, isDumbTerminal)
}
