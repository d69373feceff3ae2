import * as E from 'fp-ts/Either'
import type { Run } from '../lib/cli/declaration'

/** Runs `svc version`: prints the build information. spec: Version output */
export const run: Run<readonly []> =
  ({ build, globals }) =>
  async () =>
    E.right({ stdout: JSON.stringify(build, null, globals.pretty ? 2 : undefined) })
