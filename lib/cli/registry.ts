import { type AnyCommand, command, type Declaration, positionalsOf, type Run } from './declaration'
import type { FlagSpec, Flags } from './flags'
import { globalFlags, rootFlags } from './globals'

const registered: AnyCommand[] = []

/**
 * Registers a command of the program: its declaration, and the import of its work, which happens when the command
 * runs. Throws where the command clashes with a registered one, since the program could then not be used.
 */
export const register = <const F extends Flags>(
  declaration: Declaration & { readonly flags: F },
  load: () => Promise<Run<F>>,
): void => {
  const clash = findClash(declaration, registered)
  if (clash !== undefined) throw new Error(`cannot register "${declaration.name}": ${clash}`)
  registered.push(command(declaration, load))
}

/** All registered commands, in the order of their registration. */
export const registeredCommands = (): ReadonlyArray<AnyCommand> => registered

/**
 * Tells why a command cannot stand beside others: a command line would have two meanings. `undefined` where it can.
 */
export const findClash = (
  added: Declaration,
  others: ReadonlyArray<Declaration>,
): string | undefined => {
  if (others.some(({ name }) => name === added.name)) return 'there is a command of this name'
  const other = others.find((one) => hidesArgument(one, added) || hidesArgument(added, one))
  if (other !== undefined)
    return `the name of a command below "${hidesArgument(added, other) ? added.name : other.name}" hides an argument of that command`
  const seen = new Set(commonSpellings)
  for (const spelling of added.flags.flatMap(spell)) {
    if (seen.has(spelling)) return `there are two flags ${spelling}`
    seen.add(spelling)
  }
  return undefined
}

/** The ways to write a flag on a command line. */
const spell = ({ name, short }: FlagSpec): ReadonlyArray<string> =>
  short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]

const commonSpellings = [...globalFlags, ...rootFlags].flatMap(spell)

/** Whether the name of `child` begins with that of `parent`, which takes arguments. */
const hidesArgument = (parent: Declaration, child: Declaration): boolean =>
  positionalsOf(parent).length > 0 && child.name.startsWith(`${parent.name} `)
