import * as E from 'fp-ts/Either'
import { scripts } from '../lib/cli/completion/script'
import type { Run } from '../lib/cli/declaration'
import { internal } from '../lib/failure/failure'

/** Runs `svc completion`: prints the script for a shell. The grammar has checked its name. D21 */
export const run: Run<readonly []> =
  ({ args: [shell = ''], commands }) =>
  async () => {
    const script = scripts[shell]
    return script === undefined
      ? E.left(internal(`no completion script for ${shell}`))
      : E.right({ stdout: script(commands) })
  }
