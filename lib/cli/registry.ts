import { type AnyCommand, command, type Declaration, type Run } from './declaration'
import type { Flags } from './flags'
import { globalFlags, rootFlags } from './globals'

const registered: AnyCommand[] = []

/**
 * Registers a command of the program: its declaration, and the import of its work, which happens when the command
 * runs. Throws where the command clashes with a registered one, since the program could then not be used.
 */
export const register = <const F extends Flags>(
  declaration: Declaration & { readonly flags: F },
  load: () => Promise<{ readonly run: Run<F> }>,
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
  const shadow = [added, ...others].find((parent) => hidesArguments(parent, [added, ...others]))
  if (shadow !== undefined)
    return `the name of a command below "${shadow.name}" hides an argument of that command`
  const flags: Flags = [...globalFlags, ...rootFlags, ...added.flags]
  const spellings = flags.flatMap(({ name, short }) => [
    `--${name}`,
    ...(short ? [`-${short}`] : []),
  ])
  const twice = spellings.find((one, index) => spellings.indexOf(one) !== index)
  return twice === undefined ? undefined : `there are two flags ${twice}`
}

/** Whether a command takes arguments, while one of the commands has a name that begins with its name. */
const hidesArguments = (
  { name, positionals = [] }: Declaration,
  commands: ReadonlyArray<Declaration>,
): boolean => positionals.length > 0 && commands.some((other) => other.name.startsWith(`${name} `))
