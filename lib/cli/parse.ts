import type { Either } from 'fp-ts/Either'
import { type Failure, framework } from '../failure/failure'
import type { AnyCommand, Flags, Positional } from './declaration'
import { globalFlags, rootFlags } from './globals'
import { suggestion } from './suggest'
import { isFlag, readFlag, tokenize } from './tokens'
import { type FlagValue, parseBool, parseValue, valuesOf } from './values'

/** A command line that was understood. */
export interface CommandLine {
  /** `undefined` for the bare `svc`. */
  readonly command: AnyCommand | undefined
  /** Values of the command's own flags, by name. */
  readonly flags: Readonly<Record<string, FlagValue>>
  readonly globals: Readonly<Record<string, FlagValue>>
  /** Names of the flags that stood on the command line. */
  readonly given: ReadonlySet<string>
  readonly args: ReadonlyArray<string>
}

type Commands = ReadonlyArray<AnyCommand>

/** Reads the words after the program's name. Fails as D19 says. */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  commands: Commands,
): Either<Failure, CommandLine> => {
  const found = findCommand(argv, commands)
  if ('unknown' in found) return left(unknownCommand(found.unknown, undefined, commands))
  const { command, rest } = found
  const own: Flags = command === undefined ? rootFlags : command.flags
  const passed = new Map<string, FlagValue>()
  const lists = new Map<string, string[]>()
  const words: Array<{ readonly text: string; readonly literal: boolean }> = []
  for (const token of tokenize(rest, [...globalFlags, ...own])) {
    if (token._tag === 'Fault') return left(token.message)
    if (token._tag === 'Word') {
      words.push(token)
      continue
    }
    const { flag, text } = token
    const parsed = parseValue(flag, text)
    if ('why' in parsed) {
      return left(`invalid argument "${text}" for "--${flag.name}" flag: ${parsed.why}`)
    }
    if (flag.type === 'strings') {
      const list = lists.get(flag.name) ?? []
      list.push(text)
      lists.set(flag.name, list)
      passed.set(flag.name, list)
    } else passed.set(flag.name, parsed.value)
  }
  const args = words.map(({ text }) => text)
  const misplaced = passed.get('help') === true ? undefined : checkArgs(command, words, commands)
  if (misplaced !== undefined) return left(misplaced)
  return {
    _tag: 'Right',
    right: {
      command,
      flags: valuesOf(own, passed),
      globals: valuesOf(globalFlags, passed),
      given: new Set(passed.keys()),
      args,
    },
  }
}

/** Whether a command line that could not be read asks for indented output all the same. */
export const prettyIn = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf('--')
  const flags = end < 0 ? argv : argv.slice(0, end)
  const last = flags.findLast((arg) => arg === '--pretty' || arg.startsWith('--pretty='))
  return last !== undefined && parseBool(last.slice('--pretty='.length) || 'true') === true
}

const left = (message: string): Either<Failure, never> => ({
  _tag: 'Left',
  left: framework(message),
})

type Found =
  | { readonly command: AnyCommand | undefined; readonly rest: ReadonlyArray<string> }
  | { readonly unknown: string }

/**
 * The command named by the longest run of words, and the command line without them. Flags may stand
 * between the words; each is read by the global flags and those of the command named so far.
 */
const findCommand = (argv: ReadonlyArray<string>, commands: Commands): Found => {
  let command: AnyCommand | undefined
  let rest: ReadonlyArray<string> = argv
  let index = 0
  while (index < rest.length) {
    const arg = rest[index] ?? ''
    if (arg === '--') break
    if (isFlag(arg)) {
      const step = readFlag(rest, index, [...globalFlags, ...(command?.flags ?? rootFlags)])
      if (step.tokens.at(-1)?._tag === 'Fault') break
      index += step.took
      continue
    }
    const next: AnyCommand | undefined = commandBelow(command, arg, commands)
    if (next === undefined) {
      if (command === undefined) return { unknown: arg }
      break
    }
    command = next
    rest = rest.filter((_, at) => at !== index)
  }
  return { command, rest }
}

/** The command that one more word leads to. */
export const commandBelow = (
  parent: AnyCommand | undefined,
  word: string,
  commands: Commands,
): AnyCommand | undefined => {
  if (word.includes(' ')) return undefined
  const name = parent === undefined ? word : `${parent.name} ${word}`
  return commands.find((candidate) => candidate.name === name)
}

/** The message for a word that names no command below `parent`. D19 */
export const unknownCommand = (
  word: string,
  parent: AnyCommand | undefined,
  commands: Commands,
): string => {
  const prefix = parent === undefined ? '' : `${parent.name} `
  const below = commands
    .filter(({ name }) => name.startsWith(prefix) && !name.slice(prefix.length).includes(' '))
    .map(({ name }) => name.slice(prefix.length))
  const choices = parent?.positionals?.flatMap(({ oneOf }) => oneOf ?? []) ?? []
  const others = [...below, ...choices].filter((name) => name !== word)
  const near = suggestion(word, others)
  return `unknown command "${word}" for "${`svc ${prefix}`.trimEnd()}"${near}`
}

/** What is wrong with the positional arguments, if anything. */
const checkArgs = (
  command: AnyCommand | undefined,
  words: ReadonlyArray<{ readonly text: string; readonly literal: boolean }>,
  commands: Commands,
): string | undefined => {
  const declared: ReadonlyArray<Positional> = command?.positionals ?? []
  for (const [index, { text, literal }] of words.entries()) {
    const last = declared.at(-1)
    const positional = declared[index] ?? (last?.many ? last : undefined)
    const fits = positional !== undefined && (positional.oneOf?.includes(text) ?? true)
    if (!fits) return unknownCommand(text, command, literal ? [] : commands)
  }
  const missing = declared.find((positional, index) => positional.required && !words[index])
  if (missing === undefined) return undefined
  const choices = missing.oneOf === undefined ? '' : `, one of ${missing.oneOf.join(', ')}`
  return `missing argument: ${missing.name}${choices}`
}
