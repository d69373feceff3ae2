import '../../commands/index'
import { registeredCommands } from '../../lib/cli/registry'

/** The commands of the program. */
export const commands = registeredCommands()
