import type { AnyCommand } from './declaration'
import type { FlagSpec } from './flags'
import { globalFlags, rootFlags } from './globals'

/**
 * The commands of a program in name order. Throws where they would make a command line ambiguous: on two
 * commands of one name, on flags of one spelling, and on a sub-command without its parent.
 */
export const commandList = (commands: ReadonlyArray<AnyCommand>): ReadonlyArray<AnyCommand> => {
  const names = new Set<string>()
  for (const { name, flags } of commands) {
    if (!/^[a-z][a-z-]*( [a-z][a-z-]*)?$/.test(name))
      throw new Error(`command "${name}" must be one or two lower-case words`)
    if (names.has(name)) throw new Error(`command "${name}" is there twice`)
    names.add(name)
    checkFlags(name, [...globalFlags, ...rootFlags, ...flags])
  }
  for (const name of names) {
    const parent = name.split(' ')[0] ?? name
    if (!names.has(parent)) throw new Error(`command "${name}" is there without "${parent}"`)
  }
  return [...commands].sort((a, b) => (a.name < b.name ? -1 : 1))
}

const checkFlags = (command: string, flags: ReadonlyArray<FlagSpec>): void => {
  const seen = new Set<string>()
  const take = (spelling: string): void => {
    if (seen.has(spelling)) throw new Error(`svc ${command}: flag ${spelling} is declared twice`)
    seen.add(spelling)
  }
  for (const flag of flags) {
    if (!/^[a-z][a-z-]*$/.test(flag.name))
      throw new Error(`svc ${command}: flag name "${flag.name}" must be lower-case words`)
    take(`--${flag.name}`)
    if (flag.short !== undefined) take(`-${flag.short}`)
  }
}
