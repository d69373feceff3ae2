import type { AnyCommand } from '../declaration'
import { bashScript } from './bash'
import { fishScript } from './fish'
import { powershellScript } from './powershell'
import { zshScript } from './zsh'

/** The functions that write completion scripts, by shell. D21 */
export const scripts: Readonly<Record<string, (commands: ReadonlyArray<AnyCommand>) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
}
