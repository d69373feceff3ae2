import * as E from 'fp-ts/Either'
import type { RunCommand } from '../lib/cli/declaration'
import { register } from '../lib/cli/registry'

/** Runs `svc version`: prints the build information. It is too short for a file of its own in `run/`. */
const runVersion: RunCommand<readonly []> = async ({ build, globals }) =>
  E.right({ stdout: JSON.stringify(build, null, globals.pretty ? 2 : undefined) })

register(
  {
    name: 'version',
    summary: 'Print build information as JSON',
    description: 'Prints version, commit and origin of this build as JSON. Makes no network call.',
    flags: [],
    examples: [{ command: 'svc version --pretty' }],
  },
  async () => runVersion,
)
