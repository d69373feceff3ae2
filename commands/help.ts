import { register } from '../lib/cli/registry'

register(
  {
    name: 'help',
    summary: 'Print help for svc, one of its commands or a topic',
    description:
      'Prints the help of a command, as --help does, or a topic: a page on a subject. svc help lists both. svc help review prints the help of the command and then the topic of that name.',
    flags: [],
    positionals: [
      {
        name: 'command',
        summary: 'the words of a command, or a topic',
        takesRemaining: true,
        isCommandName: true,
        // The name of a topic is one word, so it can only come first.
        listWords: async (words) =>
          words.length > 0 ? [] : [...(await import('../lib/help/topics')).topics.keys()],
      },
    ],
    examples: [
      { command: 'svc help ask', note: 'A command.' },
      { command: 'svc help review init', note: 'A command with a name of two words.' },
      { command: 'svc help engines', note: 'A topic.' },
    ],
  },
  async () => (await import('./run/help')).runHelp,
)
