import type { AnyCommand, Run } from '../lib/cli/declaration'
import { helpText } from '../lib/cli/help'
import { commandBelow, unknownCommand } from '../lib/cli/parse'
import { framework } from '../lib/failure/failure'

/** Follows the words to a command and prints its help; spelt without fp-ts, which loads with a call. D21 */
export const run: Run<readonly []> =
  ({ args, commands }) =>
  async () => {
    let command: AnyCommand | undefined
    for (const word of args) {
      const next: AnyCommand | undefined = commandBelow(command, word, commands)
      if (next === undefined)
        return { _tag: 'Left', left: framework(unknownCommand(word, command, commands)) }
      command = next
    }
    return { _tag: 'Right', right: { stdout: helpText(command, commands) } }
  }
