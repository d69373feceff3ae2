import type { Flags } from '../lib/cli/flags'
import { register } from '../lib/cli/registry'

const flags = [
  {
    name: 'check',
    type: 'bool',
    summary:
      'run the scenarios in the folder, or those of svc if no folder is given, and report which fail',
  },
  {
    name: 'command',
    type: 'string',
    placeholder: 'program',
    isFile: true,
    summary: 'the program that --check runs: a name, or a path with a slash; default: this program',
  },
  {
    name: 'update',
    type: 'bool',
    summary: 'with --check, write the results as new goldens; refused if CI is set',
  },
  {
    name: 'junit',
    type: 'string',
    placeholder: 'path',
    isFile: true,
    summary: 'with --check, also write the result as JUnit XML',
  },
  {
    name: 'with',
    type: 'strings',
    placeholder: 'path',
    isFile: true,
    summary:
      'with --check, put this file in place of the files of the same name in the scenarios, such as your questions as they are now',
  },
] as const satisfies Flags

register(
  {
    name: 'fixtures',
    summary: 'Write the API examples into a folder, or check your own scenarios',
    description: `Writes the scenarios that svc is tested with into a new or empty folder: requests and responses into fixtures/, \
the output of svc into golden/. svc serve --fixtures plays them.

With --check it runs each scenario of a folder in a temporary folder, against a service on this machine that gives the \
recorded responses. It compares stdout, stderr, exit code and written files with the golden. It prints how many scenarios it checked, \
how many passed, and how those that failed differ. It exits with 8 if a scenario failed. An invalid scenario, a scenario without a golden, \
a golden without a scenario and a recorded request that the program did not send are failures too. Scenarios that need a terminal are \
left out. Those without a command are recordings of other programs: they are counted, and do not run. If GITHUB_STEP_SUMMARY is set, the \
result is also appended to that file.

You can check a folder that you do not trust: a scenario reads and writes only its own temporary folder, connects only to its service, and \
sets only variables that svc reads. Scenarios that run svc fixtures, serve or label are refused.

svc help fixtures shows how to record, play and check your own scenarios.`,
    flags,
    positionals: [
      {
        name: 'folder',
        summary: 'the folder to write to; with --check the folder to check',
        isFile: true,
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
    // Leaves time to remove the temporary folder of --check.
    graceMs: 1000,
  },
  async () => (await import('./run/fixtures')).runFixtures,
)
