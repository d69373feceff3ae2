import type { Duration } from '../failure/text/duration'

/** The declaration of a flag. Grammar, help, completion and the type of the flag's value are derived from it. */
export type FlagSpec = CommonFlagSpec &
  (
    | {
        readonly type: 'string'
        readonly default?: string
        /** The environment variable that is used if the flag is absent or empty. */
        readonly env?: string
        /** The words that the flag accepts, which help and completion offer. Any other is a usage error. */
        readonly oneOf?: ReadonlyArray<string>
        /** Returns the end of the message about a value that is not in `oneOf`. */
        readonly explain?: (value: string) => string
        /** The noun for the words of `oneOf` in messages: `invalid <noun> "x"`. Without it messages name the flag. */
        readonly noun?: string
        /** `true` if an empty value is a usage error. */
        readonly notEmpty?: true
      }
    | { readonly type: 'strings' }
    | {
        readonly type: 'bool'
        /** `true` if the command reads no rows with this flag. They need then neither be named nor piped. */
        readonly withoutInput?: true
      }
    | (FlagRange & { readonly type: 'int' | 'float'; readonly default?: number })
    /** The default is written as Go writes durations, such as `2m0s`. */
    | {
        readonly type: 'duration'
        readonly default?: string
        readonly notNegative?: true
        /** `true` if the duration must be above 0 and below 24 days, the longest timer of Node. */
        readonly limit?: true
      }
  )

/** The part of a declaration that flags of every type have. */
interface CommonFlagSpec {
  /** The name, without dashes. */
  readonly name: string
  /** The short form: one letter, without a dash. */
  readonly short?: string
  readonly summary: string
  /** The placeholder for the value in help, without `<` and `>`; the name of the type unless set. */
  readonly value?: string
  /** The default that help shows, for a flag without `default`. */
  readonly defaultText?: string
  /** `true` if the value is the path of a file. It must not be empty. */
  readonly file?: true
  /** The endings of file names for this flag. The message about a surplus word with such an ending suggests the flag. */
  readonly endings?: ReadonlyArray<string>
  /** `true` if the value is the path of a folder. It must not be empty. */
  readonly folder?: true
  /** `true` if the value may be a positional argument instead. Passing both is a usage error. */
  readonly positional?: true
  /** `true` if the value can be `@` and the path of a file. */
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

/** The type of a flag's value. It includes `undefined` for flags without a default. */
type ValueOf<S extends FlagSpec> = S extends { readonly type: 'bool' }
  ? boolean
  : S extends { readonly type: 'strings' }
    ? ReadonlyArray<string>
    : S extends { readonly default: string | number }
      ? PassedValueOf<S>
      : PassedValueOf<S> | undefined

/** The type of a passed value: one of the flag's words, or any value of the flag's type. */
type PassedValueOf<S extends FlagSpec> = S extends {
  readonly oneOf: ReadonlyArray<infer W extends string>
}
  ? W
  : S extends { readonly type: infer T extends keyof Scalars }
    ? Scalars[T]
    : never

/** The values of flags by name, typed from a `const` declaration: `flags['max-retries']` is a number. */
export type Values<F extends Flags> = { readonly [S in F[number] as S['name']]: ValueOf<S> }

/** Declares `--output` (`-o`) for the commands that write a file. */
export const outputFlag = {
  name: 'output',
  short: 'o',
  type: 'string',
  value: 'path',
  file: true,
} as const

/** Declares `--seed` for the commands that use random numbers. */
export const seedFlag = { name: 'seed', type: 'int', value: 'n', default: 0 } as const
