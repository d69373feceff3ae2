import type { Declaration } from '../lib/cli/declaration'

/** `svc help`. */
export const helpCommand = {
  name: 'help',
  summary: 'Print help for svc or one of its commands',
  description: 'Prints the same text as --help does after a command.',
  flags: [],
  positionals: [{ name: 'command', summary: 'words of the command', many: true, commands: true }],
  examples: [{ command: 'svc help ask' }, { command: 'svc help review init' }],
} as const satisfies Declaration
