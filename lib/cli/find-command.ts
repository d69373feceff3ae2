import { suggest } from '../failure/suggestion'
import type { AnyCommand } from './declaration'
import { globalFlags, rootFlags } from './globals'
import { isFlag, readFlag } from './tokens'

type Commands = ReadonlyArray<AnyCommand>

/** The command that a command line names, or its first word where that is not a command. */
export type Found =
  | { readonly command: AnyCommand | undefined; readonly rest: ReadonlyArray<string> }
  | { readonly unknown: string }

/**
 * Finds the command that the most words name (`undefined` for the bare `svc`), and the command line without
 * those words. Flags may stand between the words. They are parsed as global flags or flags of the command named
 * so far.
 */
export const findCommand = (argv: ReadonlyArray<string>, commands: Commands): Found => {
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
    const next: AnyCommand | undefined = findCommandBelow(command, arg, commands)
    if (next === undefined) {
      if (command === undefined) return { unknown: arg }
      break
    }
    command = next
    rest = rest.filter((_, at) => at !== index)
  }
  return { command, rest }
}

/** The command that `parent` and one more word name. */
export const findCommandBelow = (
  parent: AnyCommand | undefined,
  word: string,
  commands: Commands,
): AnyCommand | undefined => {
  if (word.includes(' ')) return undefined
  const name = parent === undefined ? word : `${parent.name} ${word}`
  return commands.find((candidate) => candidate.name === name)
}

/** The error message for a word that does not name a command below `parent`. */
export const describeUnknownCommand = (
  word: string,
  parent: AnyCommand | undefined,
  commands: Commands,
): string => {
  const below = listCommandsBelow(parent, commands).map(({ word }) => word)
  const choices = parent?.positionals?.flatMap(({ oneOf }) => oneOf ?? []) ?? []
  const others = [...below, ...choices].filter((name) => name !== word)
  const near = suggest(word, others)
  return `unknown command "${word}" for "${parent === undefined ? 'svc' : `svc ${parent.name}`}"${near}`
}

/** The commands that `parent` and one more word name, each with that word. Hidden ones are left out. */
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
