import { suggest } from '../failure/suggestion'
import type { FlagSpec, Flags } from './flags'

/** A piece of the command line: a flag with its value, a word, or an argument that cannot be parsed. */
export type ArgumentToken =
  | { readonly _tag: 'Flag'; readonly flag: FlagSpec; readonly text: string }
  | {
      readonly _tag: 'Word'
      readonly text: string
      /** Whether it stood after `--`. */
      readonly literal: boolean
    }
  | {
      readonly _tag: 'Fault'
      /** The error message. */
      readonly message: string
      /** The API key that the argument holds behind a misspelt flag, such as `-api-key=…`. It must not be shown. */
      readonly secret?: string | undefined
    }

/** Whether an argument is a flag rather than a word. A single `-` is a word. */
export const isFlag = (arg: string): boolean => arg.length > 1 && arg.startsWith('-')

/** The tokens of an argument, and the number of arguments that they took: a value may be the next one. */
export interface TokenStep {
  readonly tokens: ReadonlyArray<ArgumentToken>
  readonly took: number
}

/** Parses the flag at `index` and its value. */
export const readFlag = (argv: ReadonlyArray<string>, index: number, flags: Flags): TokenStep => {
  const step = argv[index]?.startsWith('--')
    ? readLong(argv, index, flags)
    : readShort(argv, index, flags)
  const last = step.tokens.at(-1)
  if (last?._tag !== 'Fault') return step
  return {
    ...step,
    tokens: [...step.tokens.slice(0, -1), { ...last, secret: findSecret(argv, index) }],
  }
}

/** The value of a flag whose name looks like that of the API key. */
const findSecret = (argv: ReadonlyArray<string>, index: number): string | undefined => {
  const arg = argv[index] ?? ''
  if (/^-+api[-_]?key$/i.test(arg)) return argv[index + 1]
  return /^-[^=]*key=(.*)$/is.exec(arg)?.[1]
}

const readLong = (argv: ReadonlyArray<string>, index: number, flags: Flags): TokenStep => {
  const arg = argv[index] ?? ''
  const equals = arg.indexOf('=')
  const name = arg.slice(2, equals < 0 ? undefined : equals)
  if (name === '' || name.startsWith('-')) return fault(`bad flag syntax: ${arg}`)
  const flag = flags.find((known) => known.name === name)
  if (flag === undefined) {
    const names = flags.map((known) => known.name)
    const meant = (meanings.get(name) ?? []).filter((known) => names.includes(known))
    const near =
      meant.length === 0
        ? suggest(name, names, '--')
        : `; did you mean ${meant.map((known) => `--${known}`).join(' or ')}?`
    return fault(`unknown flag: --${name}${near}`)
  }
  if (equals >= 0) return { tokens: [{ _tag: 'Flag', flag, text: arg.slice(equals + 1) }], took: 1 }
  if (flag.type === 'bool') return { tokens: [{ _tag: 'Flag', flag, text: 'true' }], took: 1 }
  const next = argv[index + 1]
  if (next === undefined) return fault(`flag needs an argument: --${name}`)
  return { tokens: [{ _tag: 'Flag', flag, text: next }], took: 2 }
}

/** The flags that people mean who know other programs, by the name that they type. */
const meanings: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
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

const readShort = (argv: ReadonlyArray<string>, index: number, flags: Flags): TokenStep => {
  const tokens: ArgumentToken[] = []
  let rest = (argv[index] ?? '').slice(1)
  while (rest !== '') {
    const letter = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    const flag = flags.find((known) => known.short === letter)
    if (flag === undefined) return fault(`unknown shorthand flag: '${letter}' in -${rest}`, tokens)
    const after = rest.slice(letter.length)
    if (flag.type !== 'bool') {
      const text = after === '' ? argv[index + 1] : after
      if (text === undefined)
        return fault(`flag needs an argument: '${letter}' in -${rest}`, tokens)
      tokens.push({ _tag: 'Flag', flag, text })
      return { tokens, took: after === '' ? 2 : 1 }
    }
    tokens.push({ _tag: 'Flag', flag, text: 'true' })
    rest = after
  }
  return { tokens, took: 1 }
}

const fault = (message: string, before: ReadonlyArray<ArgumentToken> = []): TokenStep => ({
  tokens: [...before, { _tag: 'Fault', message }],
  took: 1,
})

/**
 * Parses a command line with these flags. Words and flags may alternate; after `--` all are words. After a fault it goes
 * on with the next argument, because the line may still say how its failure is to be printed.
 */
export const tokenizeArguments = (
  argv: ReadonlyArray<string>,
  flags: Flags,
): ReadonlyArray<ArgumentToken> => {
  const tokens: ArgumentToken[] = []
  let index = 0
  while (index < argv.length) {
    const arg = argv[index] ?? ''
    if (arg === '--') {
      const rest = argv.slice(index + 1)
      return [...tokens, ...rest.map((text) => ({ _tag: 'Word', text, literal: true }) as const)]
    }
    if (isFlag(arg)) {
      const step = readFlag(argv, index, flags)
      tokens.push(...step.tokens)
      index += step.took
    } else {
      tokens.push({ _tag: 'Word', text: arg, literal: false })
      index += 1
    }
  }
  return tokens
}
