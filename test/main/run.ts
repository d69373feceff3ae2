import { main } from '../../lib/cli/main'
import { createFetch } from '../../lib/runtime/http/fetch'
import { testBuild } from '../support/build'
import { commands as all } from '../support/commands'
import { type Contents, memoryFiles } from '../support/files'
import { type World as FakeWorld, fakeRuntime } from '../support/runtime'

/** The outside world of one run; what is left out is empty, and the network is the real one. */
export interface World extends Omit<FakeWorld, 'files'> {
  readonly argv: ReadonlyArray<string>
  readonly files?: Contents
}

/** What one run left. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** What the files hold in the end, those of the beginning included. */
  readonly files: Readonly<Record<string, string>>
}

/** A service runs until it is told to stop, so it is no subject here. */
const commands = all.filter(({ name }) => name !== 'serve')

/** Exceptions that no promise carried. In this process they would otherwise hide the seed. */
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
