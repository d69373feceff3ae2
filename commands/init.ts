import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'file',
    short: 'f',
    type: 'string',
    value: 'path',
    default: 'request.json',
    file: true,
    summary: 'the path to write',
  },
] as const satisfies Flags

/** The flags of `svc init`. */
export type InitFlags = typeof flags

register(
  {
    name: 'init',
    summary: 'Write a request document to start from',
    description:
      'Writes a request with a state and one question of each type, and prints where. An existing file is never overwritten. svc help request explains each member.',
    flags,
    examples: [
      { command: 'svc init', note: 'Writes request.json.' },
      {
        command: 'svc init && svc ask -f request.json --dry-run',
        note: 'Shows what would be sent.',
      },
    ],
  },
  async () => (await import('./run/init')).runInit,
)
