import * as E from 'fp-ts/Either'
import { type Failure, framework, usage } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import type { Runtime } from '../runtime/runtime'
import { type AnyCommand, formatUsageLine, type Positional, positionalAt } from './declaration'
import { describeUnknownCommand, findCommand } from './find-command'
import { findFault } from './find-fault'
import type { Flags, Values } from './flags'
import { type Globals, globalFlags, rootFlags } from './globals'
import { type ArgumentToken, tokenizeArguments } from './tokens'
import { type FlagValue, parseValue, valuesOf } from './values'

/** What a command line says, whether or not it can be run. */
export interface ReadLine {
  /** `undefined` for the bare `svc`, and if the first word names no command. */
  readonly command: AnyCommand | undefined
  /** The values of the flags on the command line, by name. */
  readonly passed: ReadonlyMap<string, FlagValue>
  /** The API keys on the command line, which must not be shown. */
  readonly secrets: ReadonlyArray<string>
}

/** A command line that can be run. */
export interface CommandLine extends ReadLine {
  /** The values of the command's own flags, by name. */
  readonly flags: Values<Flags>
  readonly globals: Globals
  readonly args: ReadonlyArray<string>
}

/** A command line that is refused. */
export interface RefusedLine extends ReadLine {
  /** The first word, if it names no command. */
  readonly unknown?: string
  readonly failure: Failure
}

/** A word that is neither a flag nor a flag's value. `literal` is set for one after `--`. */
interface Word {
  readonly text: string
  readonly literal: boolean
}

/**
 * Parses the words after the program's name. Refuses what the grammar does not allow with a framework failure, and a value
 * that its flag does not accept with a usage error. With `--help` no value is refused.
 */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  env: Runtime['env'],
): E.Either<RefusedLine, CommandLine> => {
  const found = findCommand(argv, commands)
  const { command, rest } = 'unknown' in found ? { command: undefined, rest: argv } : found
  const own: Flags = command === undefined ? rootFlags : command.flags
  const { words, passed, secrets, fault } = readTokens(
    tokenizeArguments(rest, [...globalFlags, ...own]),
  )
  const line: ReadLine = { command, passed, secrets }
  const refuse = (failure: Failure) => E.left({ ...line, failure })
  if ('unknown' in found) {
    const { unknown } = found
    const failure = framework(describeUnknownCommand(unknown, undefined, commands))
    return E.left({ ...line, failure, unknown })
  }
  if (fault !== undefined) return refuse(framework(fault))
  const twice = passPositionalFlags(command, words, passed)
  const flags = valuesOf(own, passed, env)
  // The variables of global flags are for calls: an invalid one does not stop a command that makes none.
  const globals = valuesOf(globalFlags, passed, command?.network ? env : {})
  if (!globals.help) {
    const misplaced = findFaultInWords(command, words, commands)
    if (misplaced !== undefined) return refuse(framework(misplaced))
    const invalid = twice ?? findFault([...globalFlags, ...own], { ...flags, ...globals })
    if (invalid !== undefined) return refuse(usage(invalid))
  }
  const args = words.filter((_, index) => positionalAt(command, index)?.flag === undefined)
  return E.right({ ...line, flags, globals, args: args.map(({ text }) => text) })
}

/** The tokens of a command line, sorted. */
interface SortedTokens {
  readonly words: ReadonlyArray<Word>
  readonly passed: Map<string, FlagValue>
  readonly secrets: ReadonlyArray<string>
  /** The error message for the first argument that cannot be parsed. */
  readonly fault: string | undefined
}

const readTokens = (tokens: ReadonlyArray<ArgumentToken>): SortedTokens => {
  const words: Word[] = []
  const passed = new Map<string, FlagValue>()
  const lists = new Map<string, string[]>()
  const secrets: string[] = []
  let fault: string | undefined
  for (const token of tokens) {
    if (token._tag === 'Word') words.push(token)
    if (token._tag === 'Fault') {
      fault ??= token.message
      if (token.secret !== undefined) secrets.push(token.secret.trim())
    }
    if (token._tag !== 'Flag') continue
    const { flag, text } = token
    if (flag.name === 'api-key') secrets.push(text.trim())
    const parsed = parseValue(flag, text)
    if ('why' in parsed)
      fault ??= `invalid argument "${text}" for "--${flag.name}" flag: ${parsed.why}`
    else if (flag.type === 'strings') {
      const list = lists.get(flag.name) ?? []
      list.push(text)
      lists.set(flag.name, list)
      passed.set(flag.name, list)
    } else passed.set(flag.name, parsed.value)
  }
  return { words, passed, secrets, fault }
}

/**
 * Passes the words that stand for a flag to that flag, as if it had been given. Returns the error message if the flag
 * was given as well.
 */
const passPositionalFlags = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<Word>,
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

/** The error message for the positional arguments; `undefined` if they are right. */
const findFaultInWords = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<Word>,
  commands: ReadonlyArray<AnyCommand>,
): string | undefined => {
  const declared: ReadonlyArray<Positional> = command?.positionals ?? []
  for (const [index, { text, literal }] of words.entries()) {
    const positional = positionalAt(command, index)
    if (positional === undefined) {
      const file = literal ? '' : suggestFileFlag(text, command)
      return file === ''
        ? describeUnknownCommand(text, command, literal ? [] : commands)
        : `${describeUnknownCommand(text, command, [])}${file}`
    }
    const { name, oneOf } = positional
    if (oneOf !== undefined && !oneOf.includes(text))
      return `invalid argument "${text}" for "svc ${command?.name}": ${name} must be one of ${oneOf.join(', ')}${suggest(text, oneOf)}`
  }
  const missing = declared.filter(({ required }, index) => required && !words[index])
  const [first, ...more] = missing
  if (command === undefined || first === undefined) return undefined
  if (first.oneOf !== undefined)
    return `missing argument: ${first.name}, one of ${first.oneOf.join(', ')}`
  const names = missing.map(({ name }) => name).join(' and ')
  return `missing argument${more.length === 0 ? '' : 's'}: ${names}, as in ${formatUsageLine(command)}`
}

/** Suggests the command's flag that takes a file of this name */
const suggestFileFlag = (word: string, command: AnyCommand | undefined): string => {
  const flags: Flags = command?.flags ?? []
  const flag = flags.find(({ endings }) => endings?.some((ending) => word.endsWith(ending)))
  if (flag === undefined) return ''
  return `; did you mean ${flag.short === undefined ? `--${flag.name}` : `-${flag.short}`} ${word}?`
}
