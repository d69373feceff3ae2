import * as E from 'fp-ts/Either'
import type { AnyCommand, Run } from '../lib/cli/declaration'
import { commandBelow, unknownCommand } from '../lib/cli/find-command'
import { helpText } from '../lib/cli/help'
import { framework } from '../lib/failure/failure'
import { topics } from '../lib/help/topics/index'

/** Runs `svc help`: prints the help of a command or of a topic. D21 */
export const run: Run<readonly []> =
  ({ args, commands }) =>
  async () => {
    const [word = '', ...more] = args
    if (more.length === 0 && Object.hasOwn(topics, word)) {
      return E.right({ stdout: topics[word] ?? '' })
    }
    let command: AnyCommand | undefined
    for (const word of args) {
      const next: AnyCommand | undefined = commandBelow(command, word, commands)
      if (next === undefined) return E.left(framework(unknownCommand(word, command, commands)))
      command = next
    }
    return E.right({ stdout: helpText(command, commands) })
  }
