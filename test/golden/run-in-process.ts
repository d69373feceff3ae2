import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '../../lib/cli/main'
import { registeredCommands } from '../../lib/cli/registry'
import { converse } from '../../lib/replay/conversation'
import type { ProgramOutcome } from '../../lib/replay/golden'
import type { Signal } from '../../lib/replay/scenario'
import type { NamedScenario } from '../../lib/replay/scenarios'
import type { ScriptedService } from '../../lib/replay/script'
import { startSocketService } from '../../lib/replay/socket-service'
import { prepareWorkingFolder } from '../../lib/replay/working-folder'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Files, Runtime } from '../../lib/runtime/runtime'
import { testBuild, testVersion } from '../support/build'
import { sleeplessClock } from '../support/clock'
import '../../commands/index'
import { fakeRuntime } from '../support/runtime'
import { startMswService } from './msw-service'
import { undecodable } from './undecodable'

/** The machine's files, with paths relative to the run's folder: every call takes its path first. */
const filesIn = (cwd: string): Files => {
  type Call = (path: string, ...rest: ReadonlyArray<unknown>) => unknown
  const calls = Object.entries(nodeFiles).map(([name, call]: [string, Call]) => {
    const there: Call = (path, ...rest) => call(resolve(cwd, path), ...rest)
    return [name, there] as const
  })
  return Object.fromEntries(calls) as unknown as Files
}

/**
 * Interception says nothing on the wire itself, so faults and signals need a real socket. It also takes the place of
 * agents, which tracing has its own of.
 */
const serviceOf = async (
  named: NamedScenario,
  interrupt: (signal: Signal) => void,
): Promise<ScriptedService> => {
  const onWire = named.scenario.exchanges?.some(
    ({ response: { fault, raw, signal } }) => fault ?? raw ?? signal,
  )
  const isTraced = Object.keys(named.scenario.env ?? {}).some((name) =>
    /^(OTEL|TRACING)_/.test(name),
  )
  return onWire || isTraced
    ? startSocketService(named, testVersion.version, interrupt)
    : startMswService(named)
}

/** What runs in this process: the sources, or the built program. */
interface Loaded {
  readonly main: typeof main
  readonly registeredCommands: typeof registeredCommands
  readonly createFetch: typeof createFetch
}

/** Loads the built program from its folder. */
export const loadBuilt = (dist: string): Loaded => {
  const load = (part: string): Loaded => {
    const file = readdirSync(join(dist, 'chunks')).find((name) => name.startsWith(`${part}-`))
    return createRequire(import.meta.url)(join(dist, 'chunks', file ?? part))
  }
  return { ...load('call'), createFetch: load('fetch').createFetch }
}

/** Runs a scenario through `main` in this process. */
export const runInProcess = async (
  named: NamedScenario,
  program: Loaded = { main, registeredCommands, createFetch },
): Promise<ProgramOutcome> => {
  const controller = new AbortController()
  const service = await serviceOf(named, () => controller.abort())
  const folder = await prepareWorkingFolder(named, service.baseUrl, testVersion)
  const { argv, cwd, env, stdin } = folder
  const clock = sleeplessClock(Date.UTC(2026, 8, 10, 12))
  const { runtime, stdout, stderr } = fakeRuntime({
    ...{ env, stdin, clock, signal: controller.signal },
    ...{ files: filesIn(cwd), fetch: program.createFetch(env), tty: named.scenario.tty ?? [] },
  })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const talking: Partial<Runtime> = {
    stdin: { ...runtime.stdin, chunks: () => input },
    stdout: { ...runtime.stdout, write: async (data) => void output.write(data) },
  }
  const isTalk = named.scenario.conversation !== undefined
  const world = { ...runtime, ...(isTalk && talking) }
  const ended = program.main(argv, world, testBuild, program.registeredCommands())
  ended.finally(() => output.end())
  const spoken = isTalk ? await converse(named, input, output, folder.redact) : undefined
  const exit = await ended
  const problems = [
    ...(await service.close()),
    ...(await undecodable(named)),
    ...(spoken?.problems ?? []),
  ]
  const { waits } = named.scenario
  if (waits !== undefined && waits.join() !== clock.waits.join())
    problems.push(`waits\n  expected ${waits}\n  received ${clock.waits}`)
  const files = folder.readWritten()
  folder.remove()
  return {
    stdout: spoken?.stdout ?? folder.redact(stdout()),
    stderr: folder.redact(stderr()),
    exit,
    files,
    problems,
    turns: spoken?.turns,
  }
}
