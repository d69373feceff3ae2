import { main } from '../lib/cli/main'
import { registeredCommands } from '../lib/cli/registry'
import { type BuildInfo, unknownBuild } from '../lib/runtime/build'
import { leave, startRuntime } from '../lib/runtime/node/node'
import './index'

/** A `BuildInfo` as JSON, inserted by the build; undefined where the program runs from its sources. */
declare const __SVC_BUILD__: string | undefined

/** Runs the program in this process, and ends the process. */
export const startProgram = async (): Promise<void> => {
  const build: BuildInfo =
    typeof __SVC_BUILD__ === 'undefined' ? unknownBuild : JSON.parse(__SVC_BUILD__)
  // The exit code where the process ends before `main` does, which is a defect.
  process.exitCode = 1
  leave(await main(process.argv.slice(2), startRuntime(), build, registeredCommands()))
}

/** What tests run scenarios with, in their own process and with a runtime of their own. */
export { main, registeredCommands }
