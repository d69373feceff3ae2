import type { Either } from 'fp-ts/Either'
import type { TaskEither } from 'fp-ts/TaskEither'
import type { Failure } from '../failure/failure'
import type { Draft } from '../json/draft'
import type { LogLevel } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import type { Tracer } from '../runtime/trace'
import type { Redact } from '../text/redact'
import type { Version } from './build'
import type { FoundKey } from './find-key'
import type { FlagName, Flags, Values } from './flags'
import type { GlobalFlags, Globals } from './globals'

/** A word a command takes besides its flags. */
export interface Positional {
  readonly name: string
  readonly summary: string
  readonly required?: boolean
  /** Takes all words that are left. Only on the last one. */
  readonly many?: boolean
  readonly oneOf?: ReadonlyArray<string>
  /** The words of a command's name: completion offers them. */
  readonly commands?: boolean
}

/** An example in help: a command line and what it shows. */
interface Example {
  readonly command: string
  readonly note?: string
}

/** A JSON document that is svc's own, which `--pretty` indents. */
interface OwnDocument {
  readonly document: Draft
}

/** What a command ends with when it did its work. */
export interface Result {
  /**
   * Written to stdout, followed by one newline. Where it is absent, nothing is written. Text, for people, and
   * documents of svc's own are made fit to show (D52, D59); bytes are written as they are.
   */
  readonly stdout?: string | Uint8Array | OwnDocument
  /** The exit code; 0 where it is absent. */
  readonly exit?: number
}

/** Everything a running command gets to see. */
export interface Context<F extends Flags> {
  readonly runtime: Runtime
  /** Takes secrets out of texts. Texts for people that `stdout` or stderr get need it no more. D52 */
  readonly redact: Redact
  /** The version this build reports. */
  readonly build: Version
  readonly tracer: Tracer
  /** What finding the API key told. D64 */
  readonly key: Omit<FoundKey, 'env'>
  readonly flags: Values<F>
  readonly globals: Globals
  /** From which level on it logs; `off` unless it makes network calls and was told otherwise. D22 */
  readonly level: LogLevel
  /** Whether a flag stood on the command line, whatever its value. */
  readonly given: (name: FlagName<F> | FlagName<GlobalFlags>) => boolean
  /** Positional arguments. */
  readonly args: ReadonlyArray<string>
  /** Every command, for help and completion. */
  readonly commands: ReadonlyArray<AnyCommand>
}

/** A command's work. What it results in, or fails with, is printed when it has ended. */
export type Run<F extends Flags> = (context: Context<F>) => TaskEither<Failure, Result>

/** A command as its file declares it: everything but its work. */
export interface Declaration {
  /** One or two words: `ask`, `review init`. */
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** Paragraphs for the command's own help, separated by blank lines; wrapped when printed. */
  readonly description?: string
  readonly flags: Flags
  readonly positionals?: ReadonlyArray<Positional>
  readonly examples: ReadonlyArray<Example>
  /** Makes network calls: tracing is set up before it runs. */
  readonly network?: boolean
  /** Milliseconds it may take to end after an interrupt; 100 unless given. */
  readonly graceMs?: number
}

/** A command as the program holds it, the types of its flags hidden inside `start`. */
export interface AnyCommand extends Declaration {
  readonly start: (context: Context<Flags>) => Promise<Either<Failure, Result>>
}

/**
 * Joins a declaration and the import of its work, which happens when the command runs: a run loads no other
 * command. The cast is safe, since the grammar makes the values of flags from the same declaration.
 */
export const command = <const F extends Flags>(
  declaration: Declaration & { readonly flags: F },
  load: () => Promise<{ readonly run: Run<F> }>,
): AnyCommand => ({
  ...declaration,
  start: async (context) => {
    const { run } = await load()
    return run(context as Context<F>)()
  },
})
