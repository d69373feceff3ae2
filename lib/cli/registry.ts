import { suggest } from '../text/suggestion'
import {
  type AnyCommand,
  createCommand,
  type Declaration,
  flagsOf,
  listPositionals,
  type RunCommand,
} from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags, rootFlags } from './globals'
import { isFlag, parseFlagAt } from './tokens'

const registered: AnyCommand[] = []

/**
 * Registers a command: its declaration, and the import of its code, which happens only when the command runs. Throws if
 * the command clashes with a registered command, which is a defect of the program.
 */
export const register = <const CommandFlags extends Flags>(
  declaration: Declaration & { readonly flags: CommandFlags },
  load: () => Promise<RunCommand<CommandFlags>>,
): void => {
  const clash = describeClash(declaration, registered)
  if (clash !== undefined) throw new Error(`cannot register "${declaration.name}": ${clash}`)
  registered.push(createCommand(declaration, load))
}

/** Returns all registered commands, in the order of their registration. */
export const listRegisteredCommands = (): ReadonlyArray<AnyCommand> => registered

/**
 * Describes the first clash of `added` with other commands or with itself. There are three: its name exists already, a word could
 * be the name of a subcommand or an argument, or two flags have the same spelling. Returns `undefined` if there is no clash.
 */
export const describeClash = (
  added: Declaration,
  registeredBefore: ReadonlyArray<Declaration>,
): string | undefined => {
  for (const other of registeredBefore) {
    if (other.name === added.name) return 'there is a command of this name'
    if (couldReadAsArgument(other, added)) return describeAmbiguousWord(added)
    if (couldReadAsArgument(added, other)) return describeAmbiguousWord(other)
  }
  // A spelling that the command declares twice is found too, because each is added to the set.
  const spellings = new Set([...globalFlags, ...rootFlags].flatMap(listSpellings))
  for (const spelling of added.flags.flatMap(listSpellings)) {
    if (spellings.has(spelling)) return `there are two flags ${spelling}`
    spellings.add(spelling)
  }
  return undefined
}

/** Returns `true` if the last word of the subcommand's name could also be an argument of `parent`. */
const couldReadAsArgument = (subcommand: Declaration, parent: Declaration): boolean =>
  listPositionals(parent).length > 0 && subcommand.name.startsWith(`${parent.name} `)

const describeAmbiguousWord = ({ name }: Declaration): string =>
  `the name of a command below "${name}" hides an argument of that command`

/** Lists the spellings of a flag on a command line, without its value: `--file`, `-f`. */
const listSpellings = ({ name, short }: FlagSpec): ReadonlyArray<string> =>
  short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]

type Commands = ReadonlyArray<AnyCommand>

/** The command that a command line names. */
export interface FoundCommand {
  /** `undefined` for the bare `svc`, and if the first word names no command. */
  readonly command: AnyCommand | undefined
  /** The arguments without the words of the command's name. */
  readonly remaining: ReadonlyArray<string>
  /** The first word, if it names no command. */
  readonly unknownWord: string | undefined
}

/**
 * Finds the command with the longest name that the arguments begin with: `review init` before `review`. Flags may come
 * before and between the words of the name: global flags, and flags of the command found so far.
 */
export const findCommand = (argv: ReadonlyArray<string>, commands: Commands): FoundCommand => {
  let command: AnyCommand | undefined
  let remaining: ReadonlyArray<string> = argv
  let index = 0
  while (index < remaining.length) {
    const arg = remaining[index] ?? ''
    if (arg === '--') break
    if (isFlag(arg)) {
      const step = parseFlagAt(remaining, index, [...globalFlags, ...flagsOf(command)])
      // The parser will report the invalid flag.
      if (step.tokens.at(-1)?._tag === 'Fault') break
      index += step.argumentCount
      continue
    }
    const subcommand: AnyCommand | undefined = findCommandBelow(command, arg, commands)
    if (subcommand === undefined) {
      if (command === undefined) return { command, remaining, unknownWord: arg }
      break
    }
    command = subcommand
    remaining = remaining.toSpliced(index, 1)
  }
  return { command, remaining, unknownWord: undefined }
}

/** Finds the command whose name is that of `parent` and one more word; `undefined` if there is none. */
export const findCommandBelow = (
  parent: AnyCommand | undefined,
  word: string,
  commands: Commands,
): AnyCommand | undefined => {
  // One quoted argument, as in `svc "review init"`, does not name a subcommand.
  if (word.includes(' ')) return undefined
  const name = parent === undefined ? word : `${parent.name} ${word}`
  return commands.find((candidate) => candidate.name === name)
}

/** Returns the error message for a word that is neither a command below `parent` nor one of its arguments. */
export const describeUnknownCommand = (
  word: string,
  parent: AnyCommand | undefined,
  commands: Commands,
): string => {
  const program = parent === undefined ? 'svc' : `svc ${parent.name}`
  const subcommands = listCommandsBelow(parent, commands).map((below) => below.word)
  const choices = parent?.positionals?.flatMap(({ oneOf }) => oneOf ?? []) ?? []
  // A surplus word can be one of the choices, such as the second `bash` in `svc completion bash bash`.
  const candidates = [...subcommands, ...choices].filter((name) => name !== word)
  return `unknown command "${word}" for "${program}"${suggest(word, candidates)}`
}

/** Lists the commands whose name is that of `parent` and one more word, with that word. Hidden commands are left out. */
export const listCommandsBelow = (
  parent: AnyCommand | undefined,
  commands: Commands,
): ReadonlyArray<{ readonly word: string; readonly command: AnyCommand }> => {
  const prefix = parent === undefined ? '' : `${parent.name} `
  return commands
    .filter(({ name, hidden }) => !hidden && name.startsWith(prefix))
    .map((command) => ({ word: command.name.slice(prefix.length), command }))
    .filter(({ word }) => !word.includes(' '))
}
