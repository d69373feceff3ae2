import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    placeholder: 'path',
    default: 'request.json',
    isFile: true,
    summary: 'the path to write',
  },
] as const satisfies Flags

register(
  {
    name: 'init',
    summary: 'Write a request, or a worked example, to start from',
    description: `Writes a request with a state and one question of each type, and prints its path. svc help request explains each \
member.

svc init tickets writes the worked example of svc help measuring into a folder: tickets.csv, questions.json, labelled.csv, and \
a README.md with the commands to paste.

An existing file is never overwritten.`,
    flags,
    positionals: [
      { name: 'example', summary: 'the worked example', oneOf: ['tickets'] },
      { name: 'folder', summary: 'the folder to write to; the current folder if not set' },
    ],
    examples: [
      { command: 'svc init', note: 'Writes request.json.' },
      {
        command: 'svc init && svc ask -f request.json --dry-run',
        note: 'Shows what would be sent.',
      },
      { command: 'svc init tickets demo', note: 'Writes the worked example into the folder demo.' },
    ],
  },
  async () => (await import('./run/init')).runInit,
)
