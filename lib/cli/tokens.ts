import { suggest } from '../text/suggestion'
import type { FlagSpec, Flags } from './flags'

/** A parsed part of the command line: a flag with its value, a word, or an argument that is not allowed. */
export type ArgumentToken =
  | { readonly _tag: 'Flag'; readonly flag: FlagSpec; readonly text: string }
  | WordToken
  | {
      readonly _tag: 'Fault'
      /** The error message. */
      readonly message: string
      /** The API key in the argument, behind a misspelt flag such as `-api-key=…`. It must not be shown. */
      readonly secret?: string | undefined
    }

/** An argument that is neither a flag nor the value of a flag. */
export interface WordToken {
  readonly _tag: 'Word'
  readonly text: string
  /** `true` if the word comes after `--`. */
  readonly isLiteral: boolean
}

/** The tokens of one flag argument. A cluster of short flags, such as `-rxf`, has several. */
export interface FlagStep {
  readonly tokens: ReadonlyArray<ArgumentToken>
  /** The number of arguments used: 2 if the value is the next argument. */
  readonly argumentCount: number
}

/** Returns `true` if an argument is a flag. A single `-` is a word: it usually names stdin. */
export const isFlag = (arg: string): boolean => arg.length > 1 && arg.startsWith('-')

/** Parses a flag, which is the argument at `index`, and its value. */
export const parseFlagAt = (argv: ReadonlyArray<string>, index: number, flags: Flags): FlagStep => {
  const isLong = argv[index]?.startsWith('--')
  const step = isLong ? parseLongFlag(argv, index, flags) : parseShortFlags(argv, index, flags)
  // Parsing stops at a fault, so only the last token can be one.
  const last = step.tokens.at(-1)
  if (last?._tag !== 'Fault') return step
  const fault = { ...last, secret: findSecret(argv, index) }
  return { ...step, tokens: [...step.tokens.slice(0, -1), fault] }
}

/** Finds the value of a flag whose name is like that of the API key. */
const findSecret = (argv: ReadonlyArray<string>, index: number): string | undefined => {
  const arg = argv[index] ?? ''
  // `--api_key`, `-apikey`: the value is the next argument.
  if (/^-+api[-_]?key$/i.test(arg)) return argv[index + 1]
  // `--key=…`, `-api-key=…`
  return /^-[^=]*key=(.*)$/is.exec(arg)?.[1]
}

const parseLongFlag = (argv: ReadonlyArray<string>, index: number, flags: Flags): FlagStep => {
  const arg = argv[index] ?? ''
  const equals = arg.indexOf('=')
  const name = arg.slice(2, equals < 0 ? undefined : equals)
  if (name === '' || name.startsWith('-')) return createFaultStep(`bad flag syntax: ${arg}`)
  const flag = flags.find((known) => known.name === name)
  if (flag === undefined)
    return createFaultStep(`unknown flag: --${name}${suggestFlag(name, flags)}`)
  if (equals >= 0) return createFlagStep(flag, arg.slice(equals + 1), 1)
  if (flag.type === 'bool') return createFlagStep(flag, 'true', 1)
  const nextArgument = argv[index + 1]
  if (nextArgument === undefined) return createFaultStep(`flag needs an argument: --${name}`)
  return createFlagStep(flag, nextArgument, 2)
}

/** Flags that other programs have, each with the flags of svc for the same purpose. */
const equivalentFlags: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    addr: ['host', 'port'],
    address: ['host', 'port', 'base-url'],
    listen: ['host', 'port'],
    text: ['state'],
    json: ['pretty'],
    out: ['output', 'report'],
    url: ['base-url', 'engine-url'],
  }),
)

/** Suggests flags for an unknown name, as the end of a message; `''` if none is similar. */
const suggestFlag = (name: string, flags: Flags): string => {
  const names = flags.map((flag) => flag.name)
  const known = (equivalentFlags.get(name) ?? []).filter((flag) => names.includes(flag))
  if (known.length === 0) return suggest(name, names, '--')
  return `; did you mean ${known.map((flag) => `--${flag}`).join(' or ')}?`
}

/** Parses the short flags of one argument: booleans, then at most one flag with a value (`-rx`, `-fpath`, `-f path`). */
const parseShortFlags = (argv: ReadonlyArray<string>, index: number, flags: Flags): FlagStep => {
  const letters = [...(argv[index] ?? '').slice(1)]
  const tokens: ArgumentToken[] = []
  for (const [position, letter] of letters.entries()) {
    const flag = flags.find((known) => known.short === letter)
    if (flag?.type === 'bool') {
      tokens.push({ _tag: 'Flag', flag, text: 'true' })
      continue
    }
    // After a flag with a value, the further letters are that value: `-fpath`.
    const furtherLetters = letters.slice(position + 1).join('')
    const shownLetter = `'${letter}' in -${letter}${furtherLetters}`
    if (flag === undefined) return createFaultStep(`unknown shorthand flag: ${shownLetter}`, tokens)
    if (furtherLetters !== '') return createFlagStep(flag, furtherLetters, 1, tokens)
    const nextArgument = argv[index + 1]
    if (nextArgument === undefined)
      return createFaultStep(`flag needs an argument: ${shownLetter}`, tokens)
    return createFlagStep(flag, nextArgument, 2, tokens)
  }
  return { tokens, argumentCount: 1 }
}

const createFlagStep = (
  flag: FlagSpec,
  text: string,
  argumentCount: number,
  tokensBefore: ReadonlyArray<ArgumentToken> = [],
): FlagStep => ({ tokens: [...tokensBefore, { _tag: 'Flag', flag, text }], argumentCount })

const createFaultStep = (
  message: string,
  tokensBefore: ReadonlyArray<ArgumentToken> = [],
): FlagStep => ({
  tokens: [...tokensBefore, { _tag: 'Fault', message }],
  argumentCount: 1,
})

/** Arguments that belong together: a flag with its value, a word, or `--` and everything after it. */
export interface ArgumentGroup {
  /** The arguments as typed. */
  readonly args: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<ArgumentToken>
}

/** Divides arguments into groups. Words and flags may alternate; after `--` every argument is a word. */
export const groupArguments = (
  argv: ReadonlyArray<string>,
  flags: Flags,
): ReadonlyArray<ArgumentGroup> => {
  const groups: ArgumentGroup[] = []
  let index = 0
  while (index < argv.length) {
    const arg = argv[index] ?? ''
    if (arg === '--') {
      const words = argv.slice(index + 1)
      const tokens = words.map((text) => ({ _tag: 'Word', text, isLiteral: true }) as const)
      groups.push({ args: ['--', ...words], tokens })
      return groups
    }
    const { tokens, argumentCount }: FlagStep = isFlag(arg)
      ? parseFlagAt(argv, index, flags)
      : { tokens: [{ _tag: 'Word', text: arg, isLiteral: false }], argumentCount: 1 }
    groups.push({ args: argv.slice(index, index + argumentCount), tokens })
    index += argumentCount
  }
  return groups
}

/**
 * Parses the arguments with these flags. Parsing continues after a fault, because later flags may say how to print the
 * failure (`--pretty`).
 */
export const tokenizeArguments = (
  argv: ReadonlyArray<string>,
  flags: Flags,
): ReadonlyArray<ArgumentToken> => groupArguments(argv, flags).flatMap(({ tokens }) => tokens)

/** Returns the arguments as typed, without the flags of these names and without their values. */
export const removeFlags = (
  argv: ReadonlyArray<string>,
  flags: Flags,
  names: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const isRemoved = (token: ArgumentToken): boolean =>
    token._tag === 'Flag' && names.includes(token.flag.name)
  return groupArguments(argv, flags)
    .filter(({ tokens }) => !tokens.some(isRemoved))
    .flatMap(({ args }) => args)
}
