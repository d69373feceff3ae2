import type { DestinationSettings } from '../client/providers/destination-settings'
import type { Version } from '../runtime/build'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import type { Redact } from '../text/secret'
import type { LogLevel } from '../tracing/log'
import type { CommandOutcome } from './command-result'
import type { EnvironmentKey } from './find-key'
import type { FlagName, FlagSpec, Flags, Values } from './flags'
import { type GlobalFlags, type Globals, globalFlags, rootFlags } from './globals'

/** A positional argument of a command. */
export interface Positional {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
  /** `true` if the argument takes all remaining words. Only the last positional may set it. */
  readonly takesRemaining?: boolean
  /** The words that the argument accepts. Any other word is an error. */
  readonly oneOf?: ReadonlyArray<string>
  /** `true` if the argument takes the words of a command's name, which completion then offers. */
  readonly isCommandName?: true
  /** `true` if the argument is the path of a file. */
  readonly isFile?: true | undefined
  /** Lists further words for completion. `words` are the arguments before this one. Never rejects. */
  readonly listWords?: (words: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** The flag that gets the word as its value. The word is then not in the `args` of the command. */
  readonly flag?: FlagSpec
}

/** An example in help: a command line, and a note about it. */
interface Example {
  readonly command: string
  readonly note?: string
}

/** The part of a command's context that does not depend on the command. */
export interface ProgramContext {
  /** The environment, streams, clock, files and network. Lines written to its stderr are redacted and sanitized. */
  readonly runtime: Runtime
  /** Redacts secrets in texts. Texts that a command writes to stdout or stderr are redacted anyway. */
  readonly redact: Redact
  /** The version of this build. */
  readonly build: Version
  /** The settings from flags and environment that decide where calls go. */
  readonly destinationSettings: DestinationSettings
  readonly environmentKey: EnvironmentKey
  /** Every command, for help and completion. */
  readonly commands: ReadonlyArray<AnyCommand>
  /**
   * Returns the arguments after `svc` without the flags of these names, and with each path replaced by the one that `mapPath` returns. They
   * may hold secrets.
   */
  readonly describeArgv: (
    names: ReadonlyArray<string>,
    mapPath: (path: string) => string,
  ) => ReadonlyArray<string>
  /** Runs a function when the command has ended and its result is printed, even after an interrupt. */
  readonly atEnd: (run: () => Promise<void>) => void
}

/** Everything that a running command has access to. */
export interface Context<CommandFlags extends Flags> extends ProgramContext {
  readonly tracer: Tracer
  readonly flags: Values<CommandFlags>
  readonly globals: Globals
  /** The lowest level that is logged; `off` unless the command makes network calls and a level was passed. */
  readonly logLevel: LogLevel
  /** Returns `true` if a flag was passed on the command line, with any value. */
  readonly isPassed: (name: FlagName<CommandFlags> | FlagName<GlobalFlags>) => boolean
  /** The positional arguments. */
  readonly args: ReadonlyArray<string>
}

/**
 * The context of a command whose code lists the options that it reads in an interface, `Options`. `Name` is the name of a flag
 * that the code passes to `isPassed`.
 */
export interface ContextWith<Options, Name extends string = never>
  extends Omit<Context<Flags>, 'flags' | 'isPassed'> {
  readonly flags: Options
  readonly isPassed: (name: Name) => boolean
}

/** Runs a command. The result or failure is printed after the run has ended. */
export type RunCommand<CommandFlags extends Flags> = (
  context: Context<CommandFlags>,
) => Promise<CommandOutcome>

/** The declaration of a command. Grammar, help and completion follow from it. */
export interface Declaration {
  /** The name, of one or two words: `ask`, `review init`. */
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** The paragraphs of the command's help, separated by blank lines. They are wrapped when printed. */
  readonly description?: string
  readonly flags: Flags
  readonly positionals?: ReadonlyArray<Positional>
  readonly examples: ReadonlyArray<Example>
  /** `true` if help, suggestions and completion leave the command out. */
  readonly hidden?: true
  /** `true` if the command makes network calls. Tracing and logs are then set up before the command runs. */
  readonly usesNetwork?: boolean
  /** The global flags that have no effect on this command. Help and completion leave them out. */
  readonly unusedGlobals?: ReadonlyArray<FlagName<GlobalFlags>>
  /** The time in milliseconds that the command may take to end after an interrupt; 100 unless set. */
  readonly graceMs?: number
}

/** A command without the type of its flags, so that all commands have the same type. */
export interface AnyCommand extends Declaration {
  readonly start: (context: Context<Flags>) => Promise<CommandOutcome>
}

/** Joins a declaration with the import of the command's code. The code is imported only when the command runs. */
export const createCommand = <const CommandFlags extends Flags>(
  declaration: Declaration & { readonly flags: CommandFlags },
  load: () => Promise<RunCommand<CommandFlags>>,
): AnyCommand => ({
  ...declaration,
  start: async (context) => {
    const run = await load()
    // The cast is safe: the values of flags are parsed according to the same declaration.
    return run(context as Context<CommandFlags>)
  },
})

/** Returns the flags of a command; those of the bare `svc` for `undefined`. Global flags are not included. */
export const flagsOf = (command: Declaration | undefined): Flags => command?.flags ?? rootFlags

/** Returns the positional argument that gets the word at `index`; `undefined` if the command takes fewer words. */
export const positionalAt = (
  command: Declaration | undefined,
  index: number,
): Positional | undefined => {
  const declared = command === undefined ? [] : listPositionals(command)
  const last = declared.at(-1)
  return declared[index] ?? (last?.takesRemaining ? last : undefined)
}

/** Lists the positional arguments of a command: the declared ones, then the flags whose value may come as an argument. */
export const listPositionals = ({
  positionals = [],
  flags,
}: Declaration): ReadonlyArray<Positional> => [
  ...positionals,
  ...flags.filter(({ isPositional }) => isPositional).map(createPositional),
]

const createPositional = (flag: FlagSpec): Positional => ({
  name: flag.name,
  summary: `the same as --${flag.name}`,
  flag,
  isFile: flag.isFile,
})

/** Lists the global flags that have an effect on a command, for help and completion. */
export const listRelevantGlobals = (command: Declaration | undefined): Flags =>
  globalFlags.filter(({ name }) => {
    if (command?.unusedGlobals?.includes(name)) return false
    if (command === undefined || command.usesNetwork) return true
    // All other global flags are about calls.
    return name === 'pretty' || name === 'help'
  })

/** Formats how a command is called, without its flags: `svc compare <a> <b>`. */
export const formatUsageLine = (command: Declaration): string =>
  ['svc', command.name, ...listPositionals(command).map(formatPositional)].join(' ')

const formatPositional = ({ name, required, takesRemaining }: Positional): string => {
  const text = takesRemaining ? `${name}...` : name
  return required ? `<${text}>` : `[${text}]`
}
