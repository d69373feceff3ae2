import { scripts } from '../lib/cli/completion/script'
import type { Run } from '../lib/cli/declaration'
import { internal } from '../lib/failure/failure'

/** Prints the script for the shell; the grammar has checked its name; spelt without fp-ts, which loads with a call. D21 */
export const run: Run<readonly []> =
  ({ args: [shell = ''], commands }) =>
  async () => {
    const script = scripts[shell]
    return script === undefined
      ? { _tag: 'Left', left: internal(`no completion script for ${shell}`) }
      : { _tag: 'Right', right: { stdout: script(commands) } }
  }
