import { spawnSync } from 'node:child_process'
import type { Test } from 'uvu'

/** The programs of Debian packages that tests use and a machine may lack. `.ci/run` installs them where it can. */
type Tool = 'zsh' | 'fish' | 'tmux'

/** How a test is told to uvu: as one that runs where the tool is installed, else as one that the runner counts as skipped. */
export const testWith = (tool: Tool, test: Test): Pick<Test, 'skip'>['skip'] =>
  spawnSync(tool, [tool === 'tmux' ? '-V' : '--version']).error === undefined ? test : test.skip
