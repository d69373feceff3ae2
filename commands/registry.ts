import type { AnyCommand, Command } from '../lib/cli/declaration'
import { command } from '../lib/cli/declaration'
import type { Flags } from '../lib/cli/flags'
import { Registry } from '../lib/cli/registry'

const registry = new Registry()

/** Adds a command to the program. Its file calls this when it is imported. Throws on a duplicate. */
export const register = <const F extends Flags>(declared: Command<F>): AnyCommand => {
  const closed = command(declared)
  registry.add(closed)
  return closed
}

/** The registered commands, in name order. */
export const registered = (): ReadonlyArray<AnyCommand> => registry.list()
