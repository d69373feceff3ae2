import * as E from 'fp-ts/Either'
import type { AnyCommand, Run } from '../lib/cli/declaration'
import { describeUnknownCommand, findCommandBelow } from '../lib/cli/find-command'
import { writeHelp } from '../lib/cli/help'
import { framework } from '../lib/failure/failure'
import { renderTopic } from '../lib/help/render'
import { topics } from '../lib/help/topics'
import type { Runtime } from '../lib/runtime/runtime'

/** Runs `svc help`: prints the help of a command or of a topic. D21 */
export const run: Run<readonly []> =
  ({ args, commands, runtime }) =>
  async () => {
    const [word = '', ...more] = args
    const topic = more.length === 0 ? topics.get(word) : undefined
    if (topic !== undefined) return E.right({ stdout: printTopic(topic, runtime) })
    let command: AnyCommand | undefined
    for (const word of args) {
      const next: AnyCommand | undefined = findCommandBelow(command, word, commands)
      if (next === undefined)
        return E.left(framework(describeUnknownCommand(word, command, commands)))
      command = next
    }
    return E.right({ stdout: writeHelp(command, commands) })
  }

/** The widest that a topic is printed, in columns. Longer lines are hard to read. */
const maxWidth = 100

/** The text of a topic for stdout: as wide as its terminal, with bold headings where the terminal takes them. */
const printTopic = (markdown: string, { stdout, env }: Runtime): Uint8Array => {
  const width = Math.min(stdout.columns ?? 80, maxWidth)
  const isBold = env.FORCE_COLOR ? true : stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  const emphasize = (text: string): string => (isBold ? `\u001b[1m${text}\u001b[22m` : text)
  return Buffer.from(renderTopic(markdown, width, emphasize))
}
