import { resolve } from 'node:path'
import '../../commands/index'
import { registered } from '../../commands/registry'
import { main } from '../../lib/cli/main'
import { nodeClock } from '../../lib/runtime/node-clock'
import { nodeFetch } from '../../lib/runtime/node-fetch'
import { nodeFiles } from '../../lib/runtime/node-files'
import type { Clock, Files, Output, Runtime } from '../../lib/runtime/runtime'
import { testBuild } from '../support/build'
import type { Outcome } from './golden-files'
import { mswService } from './msw-service'
import type { Named } from './scenario'
import type { ScriptedService } from './script'
import { type Interrupt, socketService } from './socket-service'
import { undecodable } from './undecodable'
import { type WorkingFolder, workingFolder } from './working-folder'

/** A clock that starts at a fixed time, moves only while it sleeps, and sleeps at once. */
const recordingClock = (waits: number[]): Clock => {
  let time = Date.UTC(2026, 8, 10, 12)
  return {
    now: () => time,
    monotonic: () => time,
    sleep: async (ms, signal) => {
      if (signal.aborted) return
      waits.push(ms)
      time += ms
    },
    timer: nodeClock.timer,
  }
}

const output = (chunks: Buffer[], isTTY: boolean): Output => ({
  isTTY,
  ...(isTTY ? { columns: 80 } : {}),
  write: async (data) => {
    chunks.push(Buffer.from(data))
  },
})

const filesIn = (cwd: string): Files => ({
  read: (path, limit) => nodeFiles.read(resolve(cwd, path), limit),
  chunks: (path, signal) => nodeFiles.chunks(resolve(cwd, path), signal),
  openOutput: (path) => nodeFiles.openOutput(resolve(cwd, path)),
  list: (folder) => nodeFiles.list(resolve(cwd, folder)),
  create: (path, data, mode) => nodeFiles.create(resolve(cwd, path), data, mode),
  replace: (path, data) => nodeFiles.replace(resolve(cwd, path), data),
  append: (path, data) => nodeFiles.append(resolve(cwd, path), data),
  checkWritable: (path) => nodeFiles.checkWritable(resolve(cwd, path)),
  makeFolder: (path) => nodeFiles.makeFolder(resolve(cwd, path)),
})

/** Interception says nothing on the wire itself, so faults and signals need a real socket. */
const serviceOf = async (named: Named, interrupt: Interrupt): Promise<ScriptedService> => {
  const onWire = named.scenario.exchanges?.some(
    ({ response: { fault, raw, signal } }) => fault ?? raw ?? signal,
  )
  return onWire ? socketService(named, interrupt) : mswService(named)
}

interface Recorded {
  readonly stdout: Buffer[]
  readonly stderr: Buffer[]
  readonly waits: number[]
}

const runtimeOf = (
  { scenario: { tty } }: Named,
  { cwd, env, stdin }: WorkingFolder,
  recorded: Recorded,
  signal: AbortSignal,
): Runtime => ({
  env,
  cwd,
  nodeVersion: process.version,
  stdin: {
    isTTY: tty?.includes('stdin') ?? false,
    read: async (limit) => stdin.subarray(0, limit + 1),
    async *chunks() {
      yield stdin
    },
  },
  stdout: output(recorded.stdout, tty?.includes('stdout') ?? false),
  stderr: output(recorded.stderr, tty?.includes('stderr') ?? false),
  clock: recordingClock(recorded.waits),
  random: () => 0,
  signal,
  files: filesIn(cwd),
  fetch: nodeFetch,
})

/** Runs a scenario through `main` in this process. */
export const runInProcess = async (named: Named): Promise<Outcome> => {
  const controller = new AbortController()
  const service = await serviceOf(named, () => controller.abort())
  const folder = workingFolder(named, service.baseUrl)
  const recorded: Recorded = { stdout: [], stderr: [], waits: [] }
  const runtime = runtimeOf(named, folder, recorded, controller.signal)
  const exit = await main(folder.argv, runtime, testBuild, registered())
  const problems = [...(await service.close()), ...undecodable(named)]
  const { waits } = named.scenario
  if (waits !== undefined && waits.join() !== recorded.waits.join())
    problems.push(`waits\n  expected ${waits}\n  received ${recorded.waits}`)
  const files = folder.written()
  folder.clear()
  return {
    stdout: folder.redact(Buffer.concat(recorded.stdout).toString()),
    stderr: folder.redact(Buffer.concat(recorded.stderr).toString()),
    exit,
    files,
    problems,
  }
}
