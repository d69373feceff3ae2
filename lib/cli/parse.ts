import * as E from 'fp-ts/Either'
import { type Failure, framework, usage } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import type { Runtime } from '../runtime/runtime'
import { type AnyCommand, type Positional, positionalAt, usageOf } from './declaration'
import { describeUnknownCommand, findCommand } from './find-command'
import { findFault } from './find-fault'
import type { Flags, Values } from './flags'
import { type Globals, globalFlags, rootFlags } from './globals'
import { tokenize } from './tokens'
import { type FlagValue, parseBool, parseValue, valuesOf } from './values'

/** A parsed command line. */
export interface CommandLine {
  /** `undefined` for the bare `svc`. */
  readonly command: AnyCommand | undefined
  /** The values of the command's own flags, by name. */
  readonly flags: Values<Flags>
  readonly globals: Globals
  /** The values of the flags on the command line, by name. */
  readonly passed: ReadonlyMap<string, FlagValue>
  readonly args: ReadonlyArray<string>
}

/** A word that is neither a flag nor a flag's value. `literal` where it stood after `--`. */
interface Word {
  readonly text: string
  readonly literal: boolean
}

/**
 * Parses the words after the program's name. Fails with a framework failure, worded as in D19, or with a usage error
 * for a value that its flag does not accept. Help is given whatever the values are.
 */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  commands: ReadonlyArray<AnyCommand>,
  env: Runtime['env'],
): E.Either<Failure, CommandLine> => {
  const found = findCommand(argv, commands)
  if ('unknown' in found) return refuse(describeUnknownCommand(found.unknown, undefined, commands))
  const { command, rest } = found
  const own: Flags = command === undefined ? rootFlags : command.flags
  const passed = new Map<string, FlagValue>()
  const lists = new Map<string, string[]>()
  const words: Array<Word> = []
  for (const token of tokenize(rest, [...globalFlags, ...own])) {
    if (token._tag === 'Fault') return refuse(token.message)
    if (token._tag === 'Word') {
      words.push(token)
      continue
    }
    const { flag, text } = token
    const parsed = parseValue(flag, text)
    if ('why' in parsed)
      return refuse(`invalid argument "${text}" for "--${flag.name}" flag: ${parsed.why}`)
    if (flag.type === 'strings') {
      const list = lists.get(flag.name) ?? []
      list.push(text)
      lists.set(flag.name, list)
      passed.set(flag.name, list)
    } else passed.set(flag.name, parsed.value)
  }
  const twice = passPositionalFlags(command, words, passed)
  const flags = valuesOf(own, passed, env)
  // The variables of global flags are for calls: a faulty one does not stop a command that makes none. D53
  const globals = valuesOf(globalFlags, passed, command?.network ? env : {})
  if (!globals.help) {
    const misplaced = findFaultInWords(command, words, commands)
    if (misplaced !== undefined) return refuse(misplaced)
    if (twice !== undefined) return E.left(usage(twice))
    const fault = findFault([...globalFlags, ...own], { ...flags, ...globals })
    if (fault !== undefined) return E.left(usage(fault))
  }
  const args = words.filter((_, index) => positionalAt(command, index)?.flag === undefined)
  return E.right({ command, flags, globals, passed, args: args.map(({ text }) => text) })
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

/** Whether a command line that could not be parsed asks for indented output. */
export const isPrettyWanted = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf('--')
  const flags = end < 0 ? argv : argv.slice(0, end)
  const last = flags.findLast((arg) => arg === '--pretty' || arg.startsWith('--pretty='))
  return last !== undefined && parseBool(last.slice('--pretty='.length) || 'true') === true
}

const refuse = (message: string): E.Either<Failure, never> => E.left(framework(message))

/** The error message for the positional arguments; `undefined` where they are right. */
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
  return `missing argument${more.length === 0 ? '' : 's'}: ${names}, as in ${usageOf(command)}`
}

/** Suggests the flag that takes a file of this name, where a command has one. D19 */
const suggestFileFlag = (word: string, command: AnyCommand | undefined): string => {
  const flags: Flags = command?.flags ?? []
  const flag = flags.find(({ endings }) => endings?.some((ending) => word.endsWith(ending)))
  if (flag === undefined) return ''
  return `; did you mean ${flag.short === undefined ? `--${flag.name}` : `-${flag.short}`} ${word}?`
}
