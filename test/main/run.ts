import { main } from '../../lib/cli/main'
import { createFetch } from '../../lib/runtime/http/fetch'
import { testBuild } from '../support/build'
import { commands as all } from '../support/commands'
import { type Contents, memoryFiles } from '../support/files'
import { type World as FakeWorld, fakeRuntime } from '../support/runtime'

/** The outside world of one run. Everything is empty by default, except for the network, which is real. */
export interface World extends Omit<FakeWorld, 'files'> {
  readonly argv: ReadonlyArray<string>
  readonly files?: Contents
}

/** The result of one run. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** The content of all files after the run, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** All commands except `svc serve`, which runs until it is stopped. */
const commands = all.filter(({ name }) => name !== 'serve')

/** Uncaught exceptions. Without these listeners they would end the process, and hide the seed of the test. */
const strays: unknown[] = []
process.on('uncaughtException', (error) => strays.push(error))
process.on('unhandledRejection', (error) => strays.push(error))

/** Runs `svc` in this process. Waits between attempts take no time. */
export const run = async ({ argv, files: initial, ...world }: World): Promise<Ended> => {
  const { files, contents } = memoryFiles(initial)
  const { runtime, stdout, stderr } = fakeRuntime({ fetch: createFetch({}), ...world, files })
  const code = await main(argv, runtime, testBuild, commands)
  if (strays.length > 0) throw new Error('an exception got away', { cause: strays.splice(0) })
  return { code, stdout: stdout(), stderr: stderr(), files: contents() }
}
