import { main } from '../lib/cli/main'
import { listRegisteredCommands } from '../lib/cli/registry'
import { type BuildInfo, confinementVariable, unknownBuild } from '../lib/runtime/build'
import { exitProcess, startRuntime } from '../lib/runtime/node/start-runtime'
import type { Runtime } from '../lib/runtime/runtime'
// Registers all commands.
import './index'

/** A `BuildInfo` as JSON, inserted by the build; undefined if the program runs from its sources. */
declare const __SVC_BUILD__: string | undefined

/** Runs the program with the arguments of this process, and ends the process. */
export const startProgram = async (): Promise<void> => {
  const build: BuildInfo =
    typeof __SVC_BUILD__ === 'undefined' ? unknownBuild : JSON.parse(__SVC_BUILD__)
  // The exit code if the process ends before `main` does, which would be a defect.
  process.exitCode = 1
  exitProcess(
    await main(process.argv.slice(2), await createRuntime(), build, listRegisteredCommands()),
  )
}

/** Creates the runtime of this process. The programs that `svc fixtures --check` runs are confined. */
const createRuntime = async (): Promise<Runtime> => {
  const runtime = startRuntime()
  if (!runtime.env[confinementVariable]) return runtime
  return (await import('../lib/runtime/node/confine')).confineRuntime(runtime)
}

/** Exported for tests, which run scenarios in their own process and with a runtime of their own. */
export { listRegisteredCommands, main }
