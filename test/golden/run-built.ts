import type { Outcome } from '../../lib/replay/golden'
import { runProgram } from '../../lib/replay/run-program'
import type { Named } from '../../lib/replay/scenarios'
import { testVersion } from '../support/build'
import { bin } from '../support/program'

/** Runs a scenario through the built program. */
export const runBuilt = (named: Named): Promise<Outcome> =>
  runProgram(named, { command: [process.execPath, bin], env: {}, version: testVersion })
