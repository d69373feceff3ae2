import {
  type AnyCommand,
  createCommand,
  type Declaration,
  listPositionals,
  type RunCommand,
} from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags, rootFlags } from './globals'

const registered: AnyCommand[] = []

/**
 * Registers a command: its declaration, and the import of its code, which happens only when the command runs. Throws if
 * the command clashes with a registered command, which is a defect of the program.
 */
export const register = <const CommandFlags extends Flags>(
  declaration: Declaration & { readonly flags: CommandFlags },
  load: () => Promise<RunCommand<CommandFlags>>,
): void => {
  const clash = findClash(declaration, registered)
  if (clash !== undefined) throw new Error(`cannot register "${declaration.name}": ${clash}`)
  registered.push(createCommand(declaration, load))
}

/** Returns all registered commands, in the order of their registration. */
export const listRegisteredCommands = (): ReadonlyArray<AnyCommand> => registered

/**
 * Describes the first reason why `added` would make command lines ambiguous: its name exists already, a word could be the
 * name of a subcommand as well as an argument, or two of its flags have the same spelling. Returns `undefined` if there is none.
 */
export const findClash = (
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
