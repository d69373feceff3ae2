import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '../../lib/cli/main'
import { listRegisteredCommands } from '../../lib/cli/registry'
import { converse } from '../../lib/replay/conversation'
import type { ProgramOutcome } from '../../lib/replay/golden'
import type { Signal } from '../../lib/replay/scenario'
import type { NamedScenario } from '../../lib/replay/scenarios'
import type { ScriptedService } from '../../lib/replay/script'
import { startSocketService } from '../../lib/replay/socket-service'
import { prepareWorkingFolder, type WorkingFolder } from '../../lib/replay/working-folder'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Files, Runtime } from '../../lib/runtime/runtime'
import { testBuild, testVersion } from '../support/build'
import { createSleeplessClock } from '../support/clock'
import '../../commands/index'
import { createFakeRuntime } from '../support/runtime'
import { checkDecoding } from './check-decoding'
import { startMswService } from './msw-service'

/** The functions of svc that run a scenario. They come from the sources or from the built program. */
interface LoadedProgram {
  readonly main: typeof main
  readonly listRegisteredCommands: typeof listRegisteredCommands
  readonly createFetch: typeof createFetch
}

const sources: LoadedProgram = { main, listRegisteredCommands, createFetch }

/** Loads the built program from its folder. The name of a chunk begins with the name of its part: `call-OBTT6GY7.js`. */
export const loadBuiltProgram = (dist: string): LoadedProgram => {
  const chunks = join(dist, 'chunks')
  const loadChunk = (name: string): LoadedProgram => {
    const file = readdirSync(chunks).find((fileName) => fileName.startsWith(`${name}-`))
    return createRequire(import.meta.url)(join(chunks, file ?? name))
  }
  return { ...loadChunk('call'), createFetch: loadChunk('fetch').createFetch }
}

/** Runs a scenario through `main` in this process. */
export const runInProcess = async (
  namedScenario: NamedScenario,
  program: LoadedProgram = sources,
): Promise<ProgramOutcome> => {
  const controller = new AbortController()
  const service = await startService(namedScenario, () => controller.abort())
  const workingFolder = await prepareWorkingFolder(namedScenario, service.baseUrl, testVersion)
  // Dates in the goldens are relative to this noon.
  const clock = createSleeplessClock(Date.UTC(2026, 8, 10, 12))
  const { runtime, stdout, stderr } = createFakeRuntime({
    env: workingFolder.env,
    stdin: workingFolder.stdin,
    clock,
    signal: controller.signal,
    files: createFilesIn(workingFolder.cwd),
    fetch: program.createFetch(workingFolder.env),
    tty: namedScenario.scenario.tty ?? [],
  })
  const runMain = (mainRuntime: Runtime): Promise<number> =>
    program.main(workingFolder.argv, mainRuntime, testBuild, program.listRegisteredCommands())
  const result =
    namedScenario.scenario.conversation === undefined
      ? { exit: await runMain(runtime), stdout: workingFolder.redact(stdout()), problems: [] }
      : await runConversation({ namedScenario, runtime, workingFolder, runMain })
  const outcome = {
    ...result,
    stderr: workingFolder.redact(stderr()),
    files: workingFolder.readWritten(),
    problems: [
      ...(await service.close()),
      ...(await checkDecoding(namedScenario)),
      ...result.problems,
      ...checkWaits(namedScenario, clock.waits),
    ],
  }
  workingFolder.remove()
  return outcome
}

/**
 * Starts the service of a scenario. msw can neither break connections nor send raw bytes, and it replaces the HTTP agent of
 * tracing, so such scenarios get a real socket.
 */
const startService = (
  namedScenario: NamedScenario,
  interrupt: (signal: Signal) => void,
): Promise<ScriptedService> => {
  const { exchanges = [], env = {} } = namedScenario.scenario
  const needsSocket = exchanges.some(
    ({ response: { fault, raw, signal } }) =>
      fault !== undefined || raw !== undefined || signal !== undefined,
  )
  const isTraced = Object.keys(env).some((name) => /^(OTEL|TRACING)_/.test(name))
  return needsSocket || isTraced
    ? startSocketService(namedScenario, testVersion.version, interrupt)
    : startMswService(namedScenario)
}

/** Creates files whose paths are relative to `cwd`. Every function of `Files` takes a path first. */
const createFilesIn = (cwd: string): Files => {
  type FileFunction = (path: string, ...rest: ReadonlyArray<unknown>) => unknown
  const functions = Object.entries(nodeFiles).map(
    ([name, fileFunction]: [string, FileFunction]) => {
      const callInFolder: FileFunction = (path, ...rest) =>
        fileFunction(resolve(cwd, path), ...rest)
      return [name, callInFolder] as const
    },
  )
  return Object.fromEntries(functions) as unknown as Files
}

interface ConversationOptions {
  readonly namedScenario: NamedScenario
  readonly runtime: Runtime
  readonly workingFolder: WorkingFolder
  /** Runs the command. Resolves with its exit code. */
  readonly runMain: (mainRuntime: Runtime) => Promise<number>
}

/** Runs a scenario with a conversation over stdin and stdout. */
const runConversation = async (
  options: ConversationOptions,
): Promise<Pick<ProgramOutcome, 'exit' | 'stdout' | 'problems' | 'turns'>> => {
  const { namedScenario, runtime, workingFolder, runMain } = options
  const input = new PassThrough()
  const output = new PassThrough()
  const exit = runMain({
    ...runtime,
    stdin: { ...runtime.stdin, chunks: () => input },
    stdout: { ...runtime.stdout, write: async (data) => void output.write(data) },
  }).finally(() => output.end())
  const conversation = await converse(namedScenario, input, output, workingFolder.redact)
  return { ...conversation, exit: await exit }
}

/** Compares the waits between attempts with those of the scenario. */
const checkWaits = (
  { scenario: { waits } }: NamedScenario,
  received: ReadonlyArray<number>,
): ReadonlyArray<string> => {
  const isExpected = waits === undefined || waits.join() === received.join()
  return isExpected ? [] : [`waits\n  expected ${waits}\n  received ${received}`]
}
