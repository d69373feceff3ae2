import type { Duration } from '../text/duration'

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
        /** Returns the end of the error message about a word that is not in `oneOf`, such as advice. */
        readonly describeUnknownWord?: (word: string) => string
        /** The noun for the words of `oneOf` in messages: `invalid <noun> "x"`. Without it messages name the flag. */
        readonly noun?: string
        /** `true` if an empty value is a usage error. */
        readonly isNonEmpty?: true
      }
    /** A flag that can be repeated. */
    | { readonly type: 'strings' }
    | {
        readonly type: 'bool'
        /** `true` if the command needs no input when this flag is passed. */
        readonly skipsInput?: true
      }
    | (FlagRange & { readonly type: 'int' | 'float'; readonly default?: number })
    | {
        readonly type: 'duration'
        /** The default as Go writes durations, such as `2m0s`. */
        readonly default?: string
        readonly isNonNegative?: true
        /** `true` if the duration must be above 0 and below 24 days, the longest timer of Node. */
        readonly isTimerDuration?: true
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
  readonly placeholder?: string
  /** A default that help shows but the parser does not apply: the command applies it. */
  readonly shownDefault?: string
  /** `true` if the value is the path of a file. It must not be empty. */
  readonly isFile?: true
  /** The endings of file names for this flag. The message about a surplus word with such an ending suggests the flag. */
  readonly endings?: ReadonlyArray<string>
  /** `true` if the value is the path of a folder. It must not be empty. */
  readonly isFolder?: true
  /** `true` if the value may be a positional argument instead. Passing both is a usage error. */
  readonly isPositional?: true
  /** `true` if the value can be `@` and the path of a file. */
  readonly takesAtFile?: true
}

/** The numbers that a flag accepts; every number if no range is declared. Any other number is a usage error. */
export type FlagRange = { readonly isNonNegative?: true } | InclusiveRange | ExclusiveRange

/** The numbers from `min` to `max`, both included. */
export interface InclusiveRange {
  readonly min: number
  readonly max?: number
}

/** The numbers between `exclusiveMin` and `exclusiveMax`, both excluded. */
export interface ExclusiveRange {
  readonly exclusiveMin: number
  readonly exclusiveMax?: number
}

/** The flags of one command. */
export type Flags = ReadonlyArray<FlagSpec>

/** The name of a declared flag. */
export type FlagName<AllFlags extends Flags> = AllFlags[number]['name']

/** The values of flags by name, typed from a `const` declaration: `flags['max-retries']` is a number. */
export type Values<AllFlags extends Flags> = {
  readonly [Spec in AllFlags[number] as Spec['name']]: ValueOf<Spec>
}

/** The type of a flag's value. It includes `undefined` for flags without a default. */
type ValueOf<Spec extends FlagSpec> = Spec extends AlwaysSet
  ? PassedValueOf<Spec>
  : PassedValueOf<Spec> | undefined

/** Flags that have a value even if they are not passed. */
type AlwaysSet = { readonly type: 'bool' | 'strings' } | { readonly default: string | number }

/** The type of a passed value: one of the flag's words, or any value of the flag's type. */
type PassedValueOf<Spec extends FlagSpec> = Spec extends {
  readonly oneOf: ReadonlyArray<infer Word extends string>
}
  ? Word
  : ValueTypes[Spec['type']]

/** The type of values by the type of the flag. */
interface ValueTypes {
  readonly string: string
  readonly strings: ReadonlyArray<string>
  readonly bool: boolean
  readonly int: number
  readonly float: number
  readonly duration: Duration
}
