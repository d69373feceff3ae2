import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'check',
    type: 'bool',
    summary: 'run the scenarios with an installed program, and tell which come out otherwise',
  },
  {
    name: 'command',
    type: 'string',
    value: 'program',
    file: true,
    summary: 'the program that --check runs, by its path or name; without it this one',
  },
] as const satisfies Flags

/** The flags of `svc fixtures`. */
export type FixturesFlags = typeof flags

register(
  {
    name: 'fixtures',
    summary: 'Lay out the API examples, or check a program against them',
    description: [
      'Lays the scenarios that svc is tested with into a folder: fixtures/ has requests and answers, golden/ what is printed. The folder must be empty or new. svc serve --fixtures plays them.',
      'With --check it runs each scenario with an installed program in a folder of its own, against a service on this machine that answers as recorded, and compares stdout, stderr, exit code and files. It prints how many ran, how many passed and which failed, and exits with 8 where some did. Scenarios that need a terminal or a clock of their own are left out.',
    ].join('\n\n'),
    flags,
    positionals: [
      { name: 'folder', summary: 'where to lay them out; without --check', file: true },
    ],
    examples: [
      { command: 'svc fixtures examples', note: 'Writes examples/fixtures and examples/golden.' },
      { command: 'svc fixtures --check', note: 'Checks this program.' },
      { command: 'svc fixtures --check --command ./node_modules/.bin/svc' },
    ],
    graceMs: 1000,
  },
  async () => (await import('./run/fixtures')).runFixtures,
)
