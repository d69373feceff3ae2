import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'check',
    type: 'bool',
    summary: 'run the scenarios of a folder, or without one those of svc, and report which differ',
  },
  {
    name: 'command',
    type: 'string',
    value: 'program',
    file: true,
    summary:
      'the program that --check runs, by its name or a path with a slash; without it this one',
  },
  {
    name: 'update',
    type: 'bool',
    summary: 'write what came as the golden of each scenario; refused where CI is set',
  },
  {
    name: 'junit',
    type: 'string',
    value: 'path',
    file: true,
    summary: 'also write the result of --check as JUnit XML',
  },
] as const satisfies Flags

register(
  {
    name: 'fixtures',
    summary: 'Lay out the API examples, or check scenarios of your own',
    description: [
      'Lays the scenarios that svc is tested with into a folder: fixtures/ has requests and answers, golden/ what is printed. The folder must be empty or new. svc serve --fixtures plays them.',
      'With --check it runs each scenario of a folder with an installed program, in a temporary folder, against a service on this machine that answers as recorded. It compares stdout, stderr, exit code and written files with the golden. It prints how many ran, how many passed and which failed, and exits with 8 if some did. A scenario without a golden, a golden without a scenario and a request that never came are failures too. Scenarios that need a terminal are left out. If GITHUB_STEP_SUMMARY is set, the result is appended to that file as well.',
      'svc help fixtures shows how to record, play and check scenarios of your own.',
    ].join('\n\n'),
    flags,
    positionals: [
      { name: 'folder', summary: 'where to lay them out; with --check what to check', file: true },
    ],
    examples: [
      { command: 'svc fixtures examples', note: 'Writes examples/fixtures and examples/golden.' },
      {
        command: 'svc fixtures --check tests',
        note: 'Checks tests/fixtures against tests/golden.',
      },
      { command: 'svc fixtures --check tests --update', note: 'Writes tests/golden anew.' },
      { command: 'svc fixtures --check --command ./node_modules/.bin/svc' },
    ],
    graceMs: 1000,
  },
  async () => (await import('./run/fixtures')).runFixtures,
)
