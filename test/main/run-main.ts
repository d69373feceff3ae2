import { main } from '../../lib/cli/main'
import { createFetch } from '../../lib/runtime/http/fetch'
import { testBuild } from '../support/build'
import { commands as allCommands } from '../support/commands'
import { createMemoryFiles, type FileContents } from '../support/files'
import { createFakeRuntime, type RuntimeParts } from '../support/runtime'

/** The command line of one run, and the parts of its runtime. By default only the network is real, and the rest is empty. */
export interface MainOptions extends Omit<RuntimeParts, 'files'> {
  readonly argv: ReadonlyArray<string>
  /** The content of the files before the run, by path. */
  readonly files?: FileContents
}

/** The result of one run. */
export interface MainResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The content of all files after the run, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** All commands except `svc serve`, which runs until it is stopped. */
const commands = allCommands.filter(({ name }) => name !== 'serve')

/** Exceptions that nothing caught. Without the listeners they would end the process, and hide the seed of a fuzz test. */
const uncaughtErrors: unknown[] = []
process.on('uncaughtException', (error) => uncaughtErrors.push(error))
process.on('unhandledRejection', (error) => uncaughtErrors.push(error))

/** Runs `svc` in this process, with files in memory. Waits between attempts take no time. */
export const runMain = async (options: MainOptions): Promise<MainResult> => {
  const { argv, files: filesBefore, ...parts } = options
  const { files, contents } = createMemoryFiles(filesBefore)
  const { runtime, stdout, stderr } = createFakeRuntime({ fetch: createFetch({}), ...parts, files })
  const code = await main(argv, runtime, testBuild, commands)
  if (uncaughtErrors.length > 0)
    throw new Error('svc left an exception uncaught', { cause: uncaughtErrors.splice(0) })
  return { code, stdout: stdout(), stderr: stderr(), files: contents() }
}
