import '../../commands/index'
import { registered } from '../../commands/registry'
import { main } from '../../lib/cli/main'
import { nodeClock } from '../../lib/runtime/node-clock'
import { nodeFetch } from '../../lib/runtime/node-fetch'
import { systemError } from '../../lib/runtime/reason'
import type { Clock, Files, Output, Runtime } from '../../lib/runtime/runtime'
import { testBuild } from '../support/build'

/** The outside world of one run; what is left out is empty. */
export interface World {
  readonly argv: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  readonly stdinIsTTY?: boolean
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly fetch?: Runtime['fetch']
  readonly clock?: Partial<Clock>
  readonly random?: () => number
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
const commands = registered().filter(({ name }) => name !== 'serve')

const sink = (chunks: Uint8Array[]): Output => ({
  isTTY: false,
  write: async (data) => {
    chunks.push(Buffer.from(data))
  },
})

/** Files in memory; the folder `/folder` is there too. */
const filesOf = (content: Map<string, Uint8Array>): Files => {
  const refuseFolder = (path: string): void => {
    if (path === '' || path.includes('\0')) throw systemError('ENOENT')
    if (path.endsWith('/') || path === '/folder') throw systemError('EISDIR')
  }
  return {
    read: async (path, limit = Number.MAX_SAFE_INTEGER) => {
      refuseFolder(path)
      const bytes = content.get(path)
      if (bytes === undefined) throw systemError('ENOENT')
      return bytes.subarray(0, limit + 1)
    },
    chunks: () => {
      throw systemError('ENOENT')
    },
    openOutput: () => Promise.reject(systemError('EROFS')),
    create: async (path, data) => {
      refuseFolder(path)
      if (content.has(path)) throw systemError('EEXIST')
      content.set(path, Buffer.from(data))
    },
    replace: async (path, data) => {
      refuseFolder(path)
      content.set(path, Buffer.from(data))
    },
    append: async (path, data) => {
      refuseFolder(path)
      content.set(path, Buffer.concat([content.get(path) ?? Buffer.of(), Buffer.from(data)]))
    },
    checkWritable: async (path) => refuseFolder(path),
    makeFolder: async () => undefined,
    list: async () => [],
  }
}

/** Exceptions that no promise carried. In this process they would otherwise hide the seed. */
const strays: unknown[] = []
process.on('uncaughtException', (error) => strays.push(error))
process.on('unhandledRejection', (error) => strays.push(error))

/** Runs `svc` in this process. Waits between attempts take no time. */
export const run = async (world: World): Promise<Ended> => {
  const stdout: Uint8Array[] = []
  const stderr: Uint8Array[] = []
  const stdin = Buffer.from(world.stdin ?? '')
  const content = new Map<string, Uint8Array>(
    Object.entries(world.files ?? {}).map(([path, data]) => [path, Buffer.from(data)]),
  )
  const runtime: Runtime = {
    env: world.env ?? {},
    cwd: '/',
    nodeVersion: process.version,
    stdin: {
      isTTY: world.stdinIsTTY ?? false,
      read: async (limit) => stdin.subarray(0, limit + 1),
      async *chunks() {
        yield stdin
      },
    },
    stdout: sink(stdout),
    stderr: sink(stderr),
    clock: { ...nodeClock, sleep: async () => undefined, ...world.clock },
    random: world.random ?? (() => 0),
    signal: new AbortController().signal,
    files: filesOf(content),
    fetch: world.fetch ?? nodeFetch,
  }
  const code = await main(world.argv, runtime, testBuild, commands)
  if (strays.length > 0) throw new Error('an exception got away', { cause: strays.splice(0) })
  return {
    code,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    files: Object.fromEntries(
      [...content].map(([path, data]) => [path, Buffer.from(data).toString()]),
    ),
  }
}
