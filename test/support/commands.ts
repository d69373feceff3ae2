import '../../commands/index'
import { listRegisteredCommands } from '../../lib/cli/registry'

/** The commands of the program. */
export const commands = listRegisteredCommands()
