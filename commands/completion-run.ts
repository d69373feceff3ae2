import * as E from 'fp-ts/Either'
import { scripts } from '../lib/cli/completion/script'
import type { Run } from '../lib/cli/declaration'
import { internal } from '../lib/failure/failure'

/** Prints the script for a shell, whose name the grammar has checked. D21 */
export const run: Run<readonly []> =
  ({ args: [shell = ''], commands }) =>
  async () => {
    const script = scripts[shell]
    return script === undefined
      ? E.left(internal(`no completion script for ${shell}`))
      : E.right({ stdout: script(commands) })
  }
