import type { Duration } from '../runtime/duration'

/**
 * A flag as its command declares it. Grammar, help and completion read this declaration, and the type of
 * the flag's value comes from it.
 */
export type FlagSpec = FlagText &
  (
    | {
        readonly type: 'string'
        readonly default?: string
        /** The environment variable that stands in where the flag is absent or empty. D16 */
        readonly env?: string
      }
    | { readonly type: 'strings' }
    | { readonly type: 'bool' }
    | (FlagRange & { readonly type: 'int' | 'float'; readonly default?: number })
    /** The default in Go's form, `2m0s`. */
    | {
        readonly type: 'duration'
        readonly default?: string
        readonly notNegative?: true
      }
  )

interface FlagText {
  /** Without dashes. */
  readonly name: string
  /** One letter, without its dash. */
  readonly short?: string
  readonly summary: string
  /** What stands for the value in help: `<value>`. The type's name unless given. */
  readonly value?: string
  /** What help shows as the default of a flag whose declaration has none. */
  readonly defaultText?: string
  /** The values help and completion offer. The command checks them. */
  readonly oneOf?: ReadonlyArray<string>
  /** The value is a file path. */
  readonly file?: boolean
  /** The value is a folder path. */
  readonly folder?: boolean
}

/** Which numbers a flag takes. Another one is a usage error before the command runs. */
interface FlagRange {
  readonly notNegative?: true
  readonly least?: number
  /** Only beside `least`. */
  readonly most?: number
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

/** The type of one flag's value; `undefined` when not passed and without a default. */
type ValueOf<S extends FlagSpec> = S extends { readonly type: 'bool' }
  ? boolean
  : S extends { readonly type: 'strings' }
    ? ReadonlyArray<string>
    : S extends { readonly type: infer T extends keyof Scalars }
      ? S extends { readonly default: string | number }
        ? Scalars[T]
        : Scalars[T] | undefined
      : never

/** Flag values by flag name, typed from a `const` declaration: `flags['max-retries']`. */
export type Values<F extends Flags> = { readonly [S in F[number] as S['name']]: ValueOf<S> }
