import * as E from 'fp-ts/Either'
import type { CommandOutcome } from '../../lib/cli/command-result'
import type { AnyCommand, Context } from '../../lib/cli/declaration'
import { chooseLayout, formatHelp } from '../../lib/cli/help'
import { describeUnknownCommand, findCommandBelow } from '../../lib/cli/registry'
import { commandLineFailure, type Failure } from '../../lib/failure/failure'
import { renderTopic } from '../../lib/help/render'
import { suggestTopic, topics } from '../../lib/help/topics'

type Commands = ReadonlyArray<AnyCommand>

/** Runs `svc help`: prints the help of a command, a topic, or both if they have the same name. A terminal
 * shows topics in the pager. */
export const runHelp = async ({
  args,
  commands,
  runtime,
  build,
}: Context<readonly []>): Promise<CommandOutcome> => {
  const layout = chooseLayout(runtime)
  // Examples come from tests, which write this word in place of the version.
  const markdown = topics.get(args.join(' '))?.replaceAll('{version}', build.version)
  const topic = markdown && renderTopic(markdown, layout.width, layout.emphasize)
  const found = findNamedCommand(args, commands)
  // Bytes are printed unchanged. The sanitizing of strings would alter the workflow commands that topics show.
  if (E.isLeft(found))
    return topic === undefined ? found : E.right({ stdout: Buffer.from(topic), isPaged: true })
  const help = formatHelp(found.right, commands, layout)
  return topic === undefined
    ? E.right({ stdout: help })
    : E.right({ stdout: Buffer.from(`${help}\n\n${topic}`), isPaged: true })
}

/** Finds the command that all these words name; `undefined` for the bare `svc`. Fails at the first unknown word. */
const findNamedCommand = (
  words: ReadonlyArray<string>,
  commands: Commands,
): E.Either<Failure, AnyCommand | undefined> => {
  let command: AnyCommand | undefined
  for (const word of words) {
    const next: AnyCommand | undefined = findCommandBelow(command, word, commands)
    if (next === undefined)
      return E.left(commandLineFailure(describeUnknownWord(word, command, commands)))
    command = next
  }
  return E.right(command)
}

/** Returns the error message for an unknown word. It suggests topics with a similar name, else commands. */
const describeUnknownWord = (
  word: string,
  parent: AnyCommand | undefined,
  commands: Commands,
): string => {
  const topicHint = parent === undefined ? suggestTopic(word) : ''
  if (topicHint === '') return describeUnknownCommand(word, parent, commands)
  return describeUnknownCommand(word, parent, []) + topicHint
}
