import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '../../lib/cli/main'
import { converse } from '../../lib/replay/conversation'
import type { Signal } from '../../lib/replay/decode-scenario'
import type { ProgramOutcome } from '../../lib/replay/golden'
import type { NamedScenario } from '../../lib/replay/scenarios'
import type { ScriptedService } from '../../lib/replay/script'
import { startSocketService } from '../../lib/replay/socket-service'
import { prepareWorkingFolder, type WorkingFolder } from '../../lib/replay/working-folder'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Files, Runtime } from '../../lib/runtime/runtime'
import { testBuild, testVersion } from '../support/build'
import { createSleeplessClock } from '../support/clock'
import { commands } from '../support/commands'
import { createFakeRuntime } from '../support/runtime'
import { checkDecoding } from './check-decoding'
import { startMswService } from './msw-service'

/** The parts of svc that run a scenario. They come from the sources or from the built program. */
interface LoadedProgram {
  readonly main: typeof main
  readonly commands: typeof commands
  readonly createFetch: typeof createFetch
}

const sources: LoadedProgram = { main, commands, createFetch }

/** Loads the built program from its folder. Throws if a chunk is missing. */
export const loadBuiltProgram = (dist: string): LoadedProgram => {
  const chunks = join(dist, 'chunks')
  /** Loads the chunk with this name. The name of its file has a digest too: `call-OBTT6GY7.js`. */
  const loadChunk = (name: string) => {
    const file = readdirSync(chunks).find((fileName) => fileName.startsWith(`${name}-`))
    if (file === undefined) throw new Error(`no chunk ${name} in ${chunks}`)
    return createRequire(import.meta.url)(join(chunks, file))
  }
  const call = loadChunk('call')
  return {
    main: call.main,
    commands: call.listRegisteredCommands(),
    createFetch: loadChunk('fetch').createFetch,
  }
}

/** Runs a scenario through `main` in this process. */
export const runInProcess = async (
  namedScenario: NamedScenario,
  program: LoadedProgram = sources,
): Promise<ProgramOutcome> => {
  const controller = new AbortController()
  const service = await startService(namedScenario, () => controller.abort())
  const workingFolder = await prepareWorkingFolder(namedScenario, service.baseUrl, testVersion)
  // Every run starts at noon of 10 September 2026: `Date.UTC` counts months from 0.
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
    program.main(workingFolder.argv, mainRuntime, testBuild, program.commands)
  const runScenario = async (): Promise<MainResult> => {
    if (namedScenario.scenario.conversation !== undefined)
      return runConversation({ namedScenario, runtime, workingFolder, runMain })
    const exit = await runMain(runtime)
    return { exit, stdout: workingFolder.redact(stdout()), problems: [] }
  }
  const result = await runScenario()
  const exchangeProblems = await service.close()
  const decodingProblems = await checkDecoding(namedScenario)
  const waitProblems = checkWaits(namedScenario, clock.waits)
  const outcome = {
    ...result,
    stderr: workingFolder.redact(stderr()),
    files: workingFolder.readWritten(),
    problems: [...exchangeProblems, ...decodingProblems, ...result.problems, ...waitProblems],
  }
  workingFolder.remove()
  return outcome
}

/**
 * Starts the service of a scenario. It has a real socket if a response has a network fault, is written as raw bytes or comes with a
 * signal: `startMswService` supports none of these. It also has a real socket if the scenario uses tracing, because msw replaces the HTTP
 * agent of tracing.
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

/** Creates files whose paths are relative to `cwd`. */
const createFilesIn = (cwd: string): Files => {
  // Every function of `Files` takes a path first, except `saveTemporary`, which then fails.
  type FileFunction = (path: string, ...rest: ReadonlyArray<unknown>) => unknown
  const functions = nodeFiles as unknown as Readonly<Record<string, FileFunction>>
  const functionsInFolder: Record<string, FileFunction> = {}
  for (const [name, call] of Object.entries(functions))
    functionsInFolder[name] = (path, ...rest) => call(resolve(cwd, path), ...rest)
  return functionsInFolder as unknown as Files
}

/** The exit code of `main`, its stdout, and the turns and problems of the conversation, if there was one. */
type MainResult = Pick<ProgramOutcome, 'exit' | 'stdout' | 'problems' | 'turns'>

interface ConversationOptions {
  readonly namedScenario: NamedScenario
  readonly runtime: Runtime
  readonly workingFolder: WorkingFolder
  /** Runs the command. Resolves with its exit code. */
  readonly runMain: (mainRuntime: Runtime) => Promise<number>
}

/** Runs a scenario with a conversation over stdin and stdout. */
const runConversation = async (options: ConversationOptions): Promise<MainResult> => {
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

/** Compares the waits between attempts, in milliseconds, with those that the scenario may have. Returns a problem if they differ. */
const checkWaits = (
  { scenario: { waits: expected } }: NamedScenario,
  received: ReadonlyArray<number>,
): ReadonlyArray<string> => {
  if (expected === undefined || expected.join() === received.join()) return []
  return [`waits\n  expected ${expected}\n  received ${received}`]
}
