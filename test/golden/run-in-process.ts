import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '../../lib/cli/main'
import { converse } from '../../lib/replay/conversation'
import type { Outcome } from '../../lib/replay/golden'
import type { Named } from '../../lib/replay/scenarios'
import type { ScriptedService } from '../../lib/replay/script'
import { type Interrupt, socketService } from '../../lib/replay/socket-service'
import { workingFolder } from '../../lib/replay/working-folder'
import { createFetch } from '../../lib/runtime/http/fetch'
import { nodeFiles } from '../../lib/runtime/node/files'
import type { Files, Runtime } from '../../lib/runtime/runtime'
import { testBuild, testVersion } from '../support/build'
import { sleeplessClock } from '../support/clock'
import { commands } from '../support/commands'
import { fakeRuntime } from '../support/runtime'
import { mswService } from './msw-service'
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

/** Interception says nothing on the wire itself, so faults and signals need a real socket. */
const serviceOf = async (named: Named, interrupt: Interrupt): Promise<ScriptedService> => {
  const onWire = named.scenario.exchanges?.some(
    ({ response: { fault, raw, signal } }) => fault ?? raw ?? signal,
  )
  return onWire ? socketService(named, testVersion.version, interrupt) : mswService(named)
}

/** Runs a scenario through `main` in this process. */
export const runInProcess = async (named: Named): Promise<Outcome> => {
  const controller = new AbortController()
  const service = await serviceOf(named, () => controller.abort())
  const folder = await workingFolder(named, service.baseUrl, testVersion)
  const { argv, cwd, env, stdin } = folder
  const clock = sleeplessClock(Date.UTC(2026, 8, 10, 12))
  const { runtime, stdout, stderr } = fakeRuntime({
    ...{ env, stdin, clock, signal: controller.signal },
    ...{ files: filesIn(cwd), fetch: createFetch(env), tty: named.scenario.tty ?? [] },
  })
  const [input, output] = [new PassThrough(), new PassThrough()]
  const talking: Partial<Runtime> = {
    stdin: { ...runtime.stdin, chunks: () => input },
    stdout: { ...runtime.stdout, write: async (data) => void output.write(data) },
  }
  const isTalk = named.scenario.conversation !== undefined
  const ended = main(argv, { ...runtime, ...(isTalk && talking) }, testBuild, commands)
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
  const files = folder.written()
  folder.clear()
  return {
    stdout: spoken?.rest ?? folder.redact(stdout()),
    stderr: folder.redact(stderr()),
    exit,
    files,
    problems,
    turns: spoken?.turns,
  }
}
