import type { AnyCommand } from './declaration'
import type { FlagSpec } from './flags'
import { globalFlags, rootFlags } from './globals'

/** The commands of a program. Refuses what would make a command line ambiguous. */
export class Registry {
  readonly #commands = new Map<string, AnyCommand>()

  /** Throws on a second command of the same name and on flags that clash. */
  add(command: AnyCommand): void {
    if (!/^[a-z][a-z-]*( [a-z][a-z-]*)?$/.test(command.name)) {
      throw new Error(`command "${command.name}" must be one or two lower-case words`)
    }
    if (this.#commands.has(command.name)) {
      throw new Error(`command "${command.name}" is registered twice`)
    }
    checkFlags(command)
    this.#commands.set(command.name, command)
  }

  /** In name order, whatever the order of registration. Throws on a sub-command without its parent. */
  list(): ReadonlyArray<AnyCommand> {
    for (const name of this.#commands.keys()) {
      const parent = name.split(' ')[0] ?? name
      if (!this.#commands.has(parent)) {
        throw new Error(`command "${name}" is registered without "${parent}"`)
      }
    }
    return [...this.#commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }
}

const checkFlags = (command: AnyCommand): void => {
  const seen = new Set<string>()
  const take = (spelling: string): void => {
    if (seen.has(spelling))
      throw new Error(`svc ${command.name}: flag ${spelling} is declared twice`)
    seen.add(spelling)
  }
  const flags: ReadonlyArray<FlagSpec> = [...globalFlags, ...rootFlags, ...command.flags]
  for (const flag of flags) {
    if (!/^[a-z][a-z-]*$/.test(flag.name)) {
      throw new Error(`svc ${command.name}: flag name "${flag.name}" must be lower-case words`)
    }
    take(`--${flag.name}`)
    if (flag.short !== undefined) take(`-${flag.short}`)
  }
}
