import * as E from 'fp-ts/Either'
import type { CommandResult } from '../../lib/cli/command-result'
import type { AnyCommand, Context } from '../../lib/cli/declaration'
import { describeUnknownCommand, findCommandBelow } from '../../lib/cli/find-command'
import { chooseLayout, formatHelp } from '../../lib/cli/help'
import { type Failure, framework } from '../../lib/failure/failure'
import { renderTopic } from '../../lib/help/render'
import { suggestTopic, topics } from '../../lib/help/topics'

/**
 * Runs `svc help`: prints the help of a command or of a topic. The topic of the same name as a command follows its
 * help.
 */
export const runHelp =
  ({ args, commands, runtime }: Context<readonly []>) =>
  async (): Promise<E.Either<Failure, CommandResult>> => {
    const layout = chooseLayout(runtime)
    const markdown = topics.get(args.join(' '))
    const topic = markdown && renderTopic(markdown, layout.width, layout.emphasize)
    let command: AnyCommand | undefined
    for (const word of args) {
      const next: AnyCommand | undefined = findCommandBelow(command, word, commands)
      if (next === undefined) {
        if (topic !== undefined) return E.right({ stdout: Buffer.from(topic) })
        const near = command === undefined ? suggestTopic(word) : ''
        const unknown = describeUnknownCommand(word, command, near === '' ? commands : [])
        return E.left(framework(unknown + near))
      }
      command = next
    }
    const help = formatHelp(command, commands, layout)
    return E.right({ stdout: topic === undefined ? help : Buffer.from(`${help}\n\n${topic}`) })
  }
