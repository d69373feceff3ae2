import '../../commands/index'
import { listRegisteredCommands } from '../../lib/cli/registry'

/** The commands of the program. The import of `commands/index` has registered them. */
export const commands = listRegisteredCommands()
