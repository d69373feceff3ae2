import { register } from '../lib/cli/registry'

const listTopics = async (words: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  words.length > 0 ? [] : [...(await import('../lib/help/topics')).topics.keys()]

register(
  {
    name: 'help',
    summary: 'Print help for svc, one of its commands or a topic',
    description:
      'Prints the same text as --help does after a command, or a topic: a page on a subject. svc help lists them. The help of review goes on with the topic of that name.',
    flags: [],
    positionals: [
      {
        name: 'command',
        summary: 'words of the command',
        many: true,
        commands: true,
        offer: listTopics,
      },
    ],
    examples: [
      { command: 'svc help ask' },
      { command: 'svc help review init' },
      { command: 'svc help engines' },
    ],
  },
  async () => (await import('./run/help')).runHelp,
)
