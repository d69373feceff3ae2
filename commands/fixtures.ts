import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'check',
    type: 'bool',
    summary: 'run the scenarios of a folder, or of svc without a folder, and report which fail',
  },
  {
    name: 'command',
    type: 'string',
    value: 'program',
    file: true,
    summary:
      'the program that --check runs, by name or by a path with a slash; this program if not set',
  },
  {
    name: 'update',
    type: 'bool',
    summary: 'with --check, write the results as the new goldens; refused if CI is set',
  },
  {
    name: 'junit',
    type: 'string',
    value: 'path',
    file: true,
    summary: 'with --check, also write the result as JUnit XML',
  },
] as const satisfies Flags

register(
  {
    name: 'fixtures',
    summary: 'Write the API examples into a folder, or check your own scenarios',
    description: `Writes the scenarios that svc is tested with into a folder, which must be empty or new: fixtures/ has \
requests and answers, golden/ what svc prints. svc serve --fixtures plays them.

With --check it runs each scenario of a folder with an installed program, in a temporary folder, against a service on this \
machine that answers as recorded. It compares stdout, stderr, exit code and written files with the golden. It prints how many \
scenarios ran and passed, and which failed, and exits with 8 if any failed. A scenario without a golden, a golden without a \
scenario and a request that never came are failures too. Scenarios that need a terminal are left out. If GITHUB_STEP_SUMMARY is \
set, the result is also appended to that file.

svc help fixtures shows how to record, play and check your own scenarios.`,
    flags,
    positionals: [
      {
        name: 'folder',
        summary: 'the folder to write to; with --check the folder to check',
        file: true,
      },
    ],
    examples: [
      { command: 'svc fixtures examples', note: 'Writes examples/fixtures and examples/golden.' },
      {
        command: 'svc fixtures --check tests',
        note: 'Checks tests/fixtures against tests/golden.',
      },
      {
        command: 'svc fixtures --check tests --update',
        note: 'Updates tests/golden with the results.',
      },
      {
        command: 'svc fixtures --check --command ./node_modules/.bin/svc',
        note: 'Checks an installed program against the scenarios of svc.',
      },
    ],
    graceMs: 1000,
  },
  async () => (await import('./run/fixtures')).runFixtures,
)
