import * as E from 'fp-ts/Either'
import { completionScripts, isShell } from '../lib/cli/completion-scripts'
import type { Run } from '../lib/cli/declaration'
import { internal } from '../lib/failure/failure'

/** Runs `svc completion`: prints the script for a shell. The grammar has checked its name. D21 */
export const runCompletion: Run<readonly []> =
  ({ args: [shell = ''] }) =>
  async () =>
    isShell(shell)
      ? E.right({ stdout: completionScripts[shell] })
      : E.left(internal(`no completion script for ${shell}`))
