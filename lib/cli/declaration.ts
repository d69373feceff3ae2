import type { Either } from 'fp-ts/Either'
import type { TaskEither } from 'fp-ts/TaskEither'
import type { Target } from '../client/providers/target'
import type { Draft } from '../codec/json/draft'
import type { Failure } from '../failure/failure'
import type { Redact } from '../failure/text/redact'
import type { Version } from '../runtime/build'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/tracer'
import type { LogLevel } from '../tracing/log'
import type { FoundKey } from './find-key'
import type { FlagName, FlagSpec, Flags, Values } from './flags'
import { type GlobalFlags, type Globals, globalFlags } from './globals'

/** A positional argument of a command. */
export interface Positional {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
  /** Takes all remaining words. Only the last positional may set it. */
  readonly many?: boolean
  readonly oneOf?: ReadonlyArray<string>
  /** Whether it takes the words of a command's name, which completion then offers. */
  readonly commands?: true
  /** Whether it is the path of a file. */
  readonly file?: true
  /** Lists further words for completion. `words` are the arguments before this one. Never rejects. */
  readonly offer?: (words: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** The flag that takes the word as its value. Without it the word is one of the command's `args`. */
  readonly flag?: FlagSpec
}

/** An example in help: a command line, and what it is an example of. */
interface Example {
  readonly command: string
  readonly note?: string
}

/** A JSON document that svc writes itself; `--pretty` indents it. */
interface OwnDocument {
  readonly document: Draft
}

/** The result of a command that succeeded. */
export interface CommandResult {
  /**
   * Written to stdout, followed by a newline; nothing is written where it is absent. Texts and documents are
   * made fit to show; bytes are written unchanged.
   */
  readonly stdout?: string | Uint8Array | OwnDocument
  /** The exit code; 0 where it is absent. */
  readonly exit?: number
  readonly hint?: ResultHint | undefined
  /** What made the command exit with 8. In GitHub Actions each becomes an error annotation. */
  readonly annotations?: ReadonlyArray<string>
}

/** What a person may want to know about a result: how to go on with a run, or how one label was read. */
export type ResultHint =
  | { readonly about: 'resume'; readonly rows: number; readonly output: string }
  | { readonly about: 'one label'; readonly label: string }

/** Everything that a running command has access to. */
export interface Context<F extends Flags> {
  readonly runtime: Runtime
  /** Redacts secrets in texts. What a command writes to stdout (as text) or stderr is redacted anyway. */
  readonly redact: Redact
  /** The version this build reports. */
  readonly build: Version
  readonly tracer: Tracer
  /** What flags and environment say about where calls go. */
  readonly target: Target
  /** What was found out about the API key in the environment. */
  readonly key: FoundKey
  readonly flags: Values<F>
  readonly globals: Globals
  /**
   * The level from which on the command logs; `off` unless it makes network calls and a level was given.
   */
  readonly level: LogLevel
  /** Whether a flag was given on the command line, with any value. */
  readonly given: (name: FlagName<F> | FlagName<GlobalFlags>) => boolean
  /** Positional arguments. */
  readonly args: ReadonlyArray<string>
  /** Every command, for help and completion. */
  readonly commands: ReadonlyArray<AnyCommand>
}

/** The work of a command. Its result or failure is printed when it has ended. */
export type Run<F extends Flags> = (context: Context<F>) => TaskEither<Failure, CommandResult>

/** The declaration of a command: everything except its work. */
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
  /** Whether help, suggestions and completion leave it out. */
  readonly hidden?: true
  /** Whether it makes network calls; if so, tracing is set up before it runs. */
  readonly network?: boolean
  /** The global flags that mean nothing to it, though they do to commands that make calls as it does. */
  readonly without?: ReadonlyArray<FlagName<GlobalFlags>>
  /** The milliseconds that it may take to end after an interrupt; 100 unless given. */
  readonly graceMs?: number
}

/** A command whose flag types are hidden, so that all commands fit into one list. */
export interface AnyCommand extends Declaration {
  readonly start: (context: Context<Flags>) => Promise<Either<Failure, CommandResult>>
}

/**
 * Joins a declaration with the import of its work. The import happens when the command runs, so a run loads no
 * other command. The cast is safe, because the values of flags are parsed according to the same declaration.
 */
export const command = <const F extends Flags>(
  declaration: Declaration & { readonly flags: F },
  load: () => Promise<Run<F>>,
): AnyCommand => ({
  ...declaration,
  start: async (context) => {
    const run = await load()
    return run(context as Context<F>)()
  },
})

/** The positional argument that the word at this index stands for; `undefined` where the command takes fewer. */
export const positionalAt = (
  command: Declaration | undefined,
  index: number,
): Positional | undefined => {
  const declared = command === undefined ? [] : positionalsOf(command)
  const last = declared.at(-1)
  return declared[index] ?? (last?.many ? last : undefined)
}

/** The arguments of a command: those that it declares, then the flags whose value may be given as an argument. */
export const positionalsOf = ({
  positionals = [],
  flags,
}: Declaration): ReadonlyArray<Positional> => [
  ...positionals,
  ...flags.filter(({ positional }) => positional).map(describeAsPositional),
]

const describeAsPositional = (flag: FlagSpec): Positional => ({
  name: flag.name,
  summary: `the same as --${flag.name}`,
  flag,
  ...(flag.file && { file: true }),
})

/** The global flags that mean something to a command, for help and completion. */
export const globalFlagsOf = (command: Declaration | undefined): Flags =>
  globalFlags.filter(
    ({ name }) =>
      !command?.without?.includes(name) &&
      (command === undefined || command.network || name === 'pretty' || name === 'help'),
  )

/** Writes how a command is called: `svc compare <a> <b>`, without its flags. */
export const formatUsageLine = (command: Declaration): string =>
  ['svc', command.name, ...positionalsOf(command).map(describePositional)].join(' ')

const describePositional = ({ name, required, many }: Positional): string => {
  const text = many ? `${name}...` : name
  return required ? `<${text}>` : `[${text}]`
}
