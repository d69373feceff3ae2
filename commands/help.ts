import type { Declaration } from '../lib/cli/declaration'

/** `svc help`. */
export const helpCommand = {
  name: 'help',
  summary: 'Print help for svc, one of its commands or a topic',
  description:
    'Prints the same text as --help does after a command. There is one topic besides: engines, what svc serve can answer with.',
  flags: [],
  positionals: [{ name: 'command', summary: 'words of the command', many: true, commands: true }],
  examples: [
    { command: 'svc help ask' },
    { command: 'svc help review init' },
    { command: 'svc help engines' },
  ],
} as const satisfies Declaration
