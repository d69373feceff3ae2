import type { Duration } from '../failure/text/duration'

/**
 * The declaration of a flag. Grammar, help and completion are derived from it, and so is the type of the flag's
 * value.
 */
export type FlagSpec = FlagText &
  (
    | {
        readonly type: 'string'
        readonly default?: string
        /** The environment variable that is used where the flag is absent or empty. */
        readonly env?: string
        /** The words that the flag accepts, which help and completion offer. Any other is a usage error. */
        readonly oneOf?: ReadonlyArray<string>
        /** Returns more words for the message about a value that is none of `oneOf`. */
        readonly explain?: (value: string) => string
        /** What each word of `oneOf` is, for messages: `invalid <noun> "x"`. Messages name the flag without it. */
        readonly noun?: string
        /** Whether an empty value is a usage error. */
        readonly notEmpty?: true
      }
    | { readonly type: 'strings' }
    | {
        readonly type: 'bool'
        /** With this flag the command reads no input, so that nobody is asked for one. */
        readonly withoutInput?: true
      }
    | (FlagRange & { readonly type: 'int' | 'float'; readonly default?: number })
    /** The default is in Go's form, such as `2m0s`. */
    | {
        readonly type: 'duration'
        readonly default?: string
        readonly notNegative?: true
        /** Whether it is a time limit that always applies: over 0, and short enough for a timer of Node. */
        readonly limit?: true
      }
  )

interface FlagText {
  /** The name, without dashes. */
  readonly name: string
  /** The short form: one letter, without its dash. */
  readonly short?: string
  readonly summary: string
  /** The placeholder for the value in help: `<value>`. The name of the type unless given. */
  readonly value?: string
  /** The default that help shows for a flag without a declared `default`. */
  readonly defaultText?: string
  /** Whether the value is the path of a file, which must not be empty. */
  readonly file?: true
  /** How the names of files for this flag end. The message about a surplus word with such an end suggests the flag. */
  readonly endings?: ReadonlyArray<string>
  /** Whether the value is the path of a folder, which must not be empty. */
  readonly folder?: true
  /** Whether the value may also be given as an argument without the flag. Giving it both ways is a usage error. */
  readonly positional?: true
  /** Whether the value can be `@` and the path of a file. */
  readonly fileAfterAt?: true
}

/** The numbers that a flag accepts. Any other number is a usage error. */
export interface FlagRange {
  readonly notNegative?: true
  readonly min?: number
  /** Has an effect only together with `min`. */
  readonly max?: number
  readonly exclusiveMin?: number
  /** Has an effect only together with `exclusiveMin`. */
  readonly exclusiveMax?: number
}

/** The flags of one command. */
export type Flags = ReadonlyArray<FlagSpec>

/** The name of a declared flag. */
export type FlagName<F extends Flags> = F[number]['name']

interface Scalars {
  readonly string: string
  readonly int: number
  readonly float: number
  readonly duration: Duration
}

/** The type of a flag's value, which includes `undefined` for flags without a default. */
type ValueOf<S extends FlagSpec> = S extends { readonly type: 'bool' }
  ? boolean
  : S extends { readonly type: 'strings' }
    ? ReadonlyArray<string>
    : S extends { readonly default: string | number }
      ? GivenValueOf<S>
      : GivenValueOf<S> | undefined

/** The type of a flag's value where it was passed: one of its words, or any value of the flag's type. */
type GivenValueOf<S extends FlagSpec> = S extends {
  readonly oneOf: ReadonlyArray<infer W extends string>
}
  ? W
  : S extends { readonly type: infer T extends keyof Scalars }
    ? Scalars[T]
    : never

/** The values of flags by name, typed from a `const` declaration: `flags['max-retries']`. */
export type Values<F extends Flags> = { readonly [S in F[number] as S['name']]: ValueOf<S> }

/** Declares `-o`, for the commands that write a file. */
export const outputFlag = {
  name: 'output',
  short: 'o',
  type: 'string',
  value: 'path',
  file: true,
} as const

/** Declares `--seed`, for the commands that draw by chance. */
export const seedFlag = { name: 'seed', type: 'int', value: 'n', default: 0 } as const
