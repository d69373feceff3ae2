import * as E from 'fp-ts/Either'
import type { AnyCommand, Run } from '../../lib/cli/declaration'
import { describeUnknownCommand, findCommandBelow } from '../../lib/cli/find-command'
import { layoutFor, writeHelp } from '../../lib/cli/help'
import { framework } from '../../lib/failure/failure'
import { renderTopic } from '../../lib/help/render'
import { topics } from '../../lib/help/topics'

/**
 * Runs `svc help`: prints the help of a command or of a topic. The topic of the same name as a command follows its
 * help. D21
 */
export const runHelp: Run<readonly []> =
  ({ args, commands, runtime }) =>
  async () => {
    const layout = layoutFor(runtime)
    const markdown = topics.get(args.join(' '))
    const topic = markdown && renderTopic(markdown, layout.width, layout.emphasize)
    let command: AnyCommand | undefined
    for (const word of args) {
      const next: AnyCommand | undefined = findCommandBelow(command, word, commands)
      if (next === undefined)
        return topic === undefined
          ? E.left(framework(describeUnknownCommand(word, command, commands)))
          : E.right({ stdout: Buffer.from(topic) })
      command = next
    }
    const help = writeHelp(command, commands, layout)
    return E.right({ stdout: topic === undefined ? help : Buffer.from(`${help}\n\n${topic}`) })
  }
