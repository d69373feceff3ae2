import * as E from 'fp-ts/Either'
import { commandLineFailure, type Failure, usage } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import { suggest } from '../text/suggestion'
import { type AnyCommand, flagsOf, formatUsageLine, positionalAt } from './declaration'
import type { FlagSpec, Flags, Values } from './flags'
import { type Globals, globalFlags } from './globals'
import { describeUnknownCommand, findCommand } from './registry'
import { type ArgumentToken, tokenizeArguments, type WordToken } from './tokens'
import { describeValueFault, type FlagValue, parseValue, resolveFlagValues } from './values'

/** The content of a command line, known even if the line is refused. */
export interface ParsedArguments {
  /** `undefined` for the bare `svc`, and if the first word names no command. */
  readonly command: AnyCommand | undefined
  /** The values of the flags on the command line, by name. */
  readonly passed: ReadonlyMap<string, FlagValue>
  /** The API keys on the command line. They must not be shown. */
  readonly secrets: ReadonlyArray<string>
}

/** A command line that can be run. */
export interface CommandLine extends ParsedArguments {
  /** The values of the command's own flags, by name. */
  readonly flags: Values<Flags>
  readonly globals: Globals
  readonly args: ReadonlyArray<string>
}

/** A command line that cannot be run. */
export interface RefusedLine extends ParsedArguments {
  /** The first word, if it names no command. */
  readonly unknownWord?: string
  readonly failure: Failure
}

/**
 * Parses the arguments after the program's name. Refuses a line that breaks the grammar with a command line failure, and a
 * value outside the range or list of its flag with a usage error. With `--help`, the words and those values are not checked.
 */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  env: Runtime['env'],
): E.Either<RefusedLine, CommandLine> => {
  const { command, remaining, unknownWord } = findCommand(argv, commands)
  const ownFlags = flagsOf(command)
  const tokens = tokenizeArguments(remaining, [...globalFlags, ...ownFlags])
  const { words, passed, secrets, fault } = collectTokens(tokens)
  // Also adds values to `passed`.
  const doubleValueFault = storePositionalFlags(command, words, passed)
  const line: ParsedArguments = { command, passed, secrets }
  const refuse = (failure: Failure) => E.left({ ...line, failure })
  // Of several faults the first one checked is reported: an unknown command, a fault of grammar, then a fault of a value.
  if (unknownWord !== undefined) {
    const failure = commandLineFailure(describeUnknownCommand(unknownWord, undefined, commands))
    return E.left({ ...line, failure, unknownWord })
  }
  if (fault !== undefined) return refuse(commandLineFailure(fault))
  const flags = resolveFlagValues(ownFlags, passed, env)
  // Variables of global flags are settings for calls. An invalid one must not stop a command that makes no calls.
  const globals = resolveFlagValues(globalFlags, passed, command?.usesNetwork ? env : {})
  if (!globals.help) {
    const wordFault =
      describeWordFault(command, words, commands) ?? describeMissingWords(command, words)
    if (wordFault !== undefined) return refuse(commandLineFailure(wordFault))
    const usageFault =
      doubleValueFault ??
      describeValueFault([...globalFlags, ...ownFlags], { ...flags, ...globals })
    if (usageFault !== undefined) return refuse(usage(usageFault))
  }
  // A word that is the value of a flag is not an argument.
  const args = words.filter((_, index) => positionalAt(command, index)?.flag === undefined)
  return E.right({ ...line, flags, globals, args: args.map(({ text }) => text) })
}

/** The tokens of a command line by kind. */
interface CollectedTokens {
  readonly words: ReadonlyArray<WordToken>
  /** The values of the flags, by name. The caller adds those that come as words. */
  readonly passed: Map<string, FlagValue>
  /** The API keys, also those behind misspelt flags. */
  readonly secrets: ReadonlyArray<string>
  /** The error message for the first argument that is not allowed. */
  readonly fault: string | undefined
}

const collectTokens = (tokens: ReadonlyArray<ArgumentToken>): CollectedTokens => {
  const words: WordToken[] = []
  const passed = new Map<string, FlagValue>()
  const lists = new Map<string, string[]>()
  const secrets: string[] = []
  let fault: string | undefined
  for (const token of tokens) {
    switch (token._tag) {
      case 'Word':
        words.push(token)
        break
      case 'Fault':
        fault ??= token.message
        if (token.secret !== undefined) secrets.push(token.secret.trim())
        break
      case 'Flag': {
        if (token.flag.name === 'api-key') secrets.push(token.text.trim())
        // `fault ??= storeFlag(…)` would not store the flags after a fault.
        const message = storeFlag(token.flag, token.text, passed, lists)
        fault ??= message
      }
    }
  }
  return { words, passed, secrets, fault }
}

/**
 * Adds the value of a flag to `passed`. The last value of a flag overrides earlier ones. The values of a repeatable flag are
 * collected in `lists`. Returns the error message if the value does not have the flag's type.
 */
const storeFlag = (
  flag: FlagSpec,
  text: string,
  passed: Map<string, FlagValue>,
  lists: Map<string, string[]>,
): string | undefined => {
  if (flag.type === 'strings') {
    const list = lists.get(flag.name) ?? []
    list.push(text)
    lists.set(flag.name, list)
    passed.set(flag.name, list)
    return undefined
  }
  const parsed = parseValue(flag, text)
  if ('reason' in parsed)
    return `invalid argument "${text}" for "--${flag.name}" flag: ${parsed.reason}`
  passed.set(flag.name, parsed.value)
  return undefined
}

/** Adds each word that is the value of a flag to `passed`. Returns the error message if the flag was passed as well. */
const storePositionalFlags = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<WordToken>,
  passed: Map<string, FlagValue>,
): string | undefined => {
  for (const [index, { text }] of words.entries()) {
    const flag = positionalAt(command, index)?.flag
    if (flag === undefined) continue
    if (passed.has(flag.name))
      return `--${flag.name} cannot be combined with the argument "${text}"`
    passed.set(flag.name, text)
  }
  return undefined
}

/** Returns the error message for the first word that the command does not take; `undefined` if it takes all. */
const describeWordFault = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<WordToken>,
  commands: ReadonlyArray<AnyCommand>,
): string | undefined => {
  for (const [index, word] of words.entries()) {
    const positional = positionalAt(command, index)
    if (positional === undefined) return describeSurplusWord(word, command, commands)
    const { name, oneOf } = positional
    if (oneOf !== undefined && !oneOf.includes(word.text))
      return `invalid argument "${word.text}" for "svc ${command?.name}": ${name} must be one of ${oneOf.join(', ')}${suggest(word.text, oneOf)}`
  }
  return undefined
}

/**
 * Returns the error message for a word that is one too many. It suggests a flag that takes a file of this name or, for several words in
 * quotes, a text; else a command of a similar name. After `--` it suggests nothing.
 */
const describeSurplusWord = (
  { text, isLiteral }: WordToken,
  command: AnyCommand | undefined,
  commands: ReadonlyArray<AnyCommand>,
): string => {
  if (isLiteral) return describeUnknownCommand(text, command, [])
  const flag = command?.flags.find(({ endings }) =>
    endings?.some((ending) => text.endsWith(ending)),
  )
  if (flag === undefined) {
    const textFlag = /\s/.test(text) && command?.flags.find(({ takesAtFile }) => takesAtFile)
    return textFlag
      ? `${describeUnknownCommand(text, command, [])}; did you mean --${textFlag.name} and this text?`
      : describeUnknownCommand(text, command, commands)
  }
  const spelling = flag.short === undefined ? `--${flag.name}` : `-${flag.short}`
  return `${describeUnknownCommand(text, command, [])}; did you mean ${spelling} ${text}?`
}

/** Returns the error message for required arguments without a word; `undefined` if there are none. */
const describeMissingWords = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<WordToken>,
): string | undefined => {
  if (command === undefined) return undefined
  const declared = command.positionals ?? []
  const missing = declared.filter(({ required }, index) => required && words[index] === undefined)
  const [first] = missing
  if (first === undefined) return undefined
  if (first.oneOf !== undefined)
    return `missing argument: ${first.name}, one of ${first.oneOf.join(', ')}`
  const names = missing.map(({ name }) => name).join(' and ')
  const noun = missing.length === 1 ? 'argument' : 'arguments'
  return `missing ${noun}: ${names}, as in ${formatUsageLine(command)}`
}
