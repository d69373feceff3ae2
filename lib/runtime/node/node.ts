import { type Fetch, interruptedExit, type Runtime } from '../runtime'
import { nodeClock } from './clock'
import { readPath, readStdin } from './input'
import { nodeOutput } from './output'

/**
 * The runtime of the program itself: this process on this machine. It also keeps Node's warnings off stderr,
 * and removes the variable that would make Node skip the check of certificates. D60
 */
export const nodeRuntime = (): Runtime => {
  process.removeAllListeners('warning')
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  return runtime()
}

const runtime = (): Runtime => ({
  env: process.env,
  nodeVersion: process.version,
  stdin: {
    get isTTY() {
      return process.getBuiltinModule('node:tty').isatty(0)
    },
    read: readStdin,
    async *chunks(signal) {
      yield* (await import('./chunks')).stdinChunks(signal)
    },
  },
  stdout: nodeOutput(1),
  stderr: nodeOutput(2),
  clock: nodeClock,
  random: Math.random,
  signal: interruptSignal(),
  onHangup: (run) => process.on('SIGHUP', run),
  crashed: crash(),
  files: {
    read: readPath,
    async *chunks(...args) {
      yield* (await import('./chunks')).pathChunks(...args)
    },
    size: async (...args) => (await nodeFiles()).size(...args),
    readPart: async (...args) => (await nodeFiles()).readPart(...args),
    list: async (...args) => (await nodeFiles()).list(...args),
    create: async (...args) => (await nodeFiles()).create(...args),
    replace: async (...args) => (await nodeFiles()).replace(...args),
    append: async (...args) => (await nodeFiles()).append(...args),
    checkWritable: async (...args) => (await nodeFiles()).checkWritable(...args),
    makeFolder: async (...args) => (await nodeFiles()).makeFolder(...args),
    readRegular: async (...args) => (await nodeFiles()).readRegular(...args),
    readableByOthers: async (...args) => (await nodeFiles()).readableByOthers(...args),
    writableByOthers: async (...args) => (await nodeFiles()).writableByOthers(...args),
    identity: async (...args) => (await nodeFiles()).identity(...args),
    keep: async (...args) => (await nodeFiles()).keep(...args),
    openOutput: async (...args) => (await nodeFiles()).openOutput(...args),
    openReplacement: async (...args) => (await nodeFiles()).openReplacement(...args),
  },
  fetch: async (url, init) => (await nodeFetch())(url, init),
})

/**
 * Loads the HTTP client with the first call. It receives a copy of the environment: Node asks the system for a
 * variable on every access, which would slow down a batch of many calls.
 */
const nodeFetch = (): Promise<Fetch> => {
  loadedFetch ??= import('../http/fetch').then((module) => module.nodeFetch({ ...process.env }))
  return loadedFetch
}

let loadedFetch: Promise<Fetch> | undefined

const nodeFiles = async () => (await import('./files')).nodeFiles

/** A signal that the first SIGINT or SIGTERM aborts. The second ends the process at once. */
const interruptSignal = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) leave(interruptedExit, 0)
    controller.abort()
  }
  for (const name of signals) process.on(name, onSignal)
  return controller.signal
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves with the first exception that nobody caught. Without these listeners Node would print its stack. */
const crash = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.on('uncaughtException', resolve)
    process.on('unhandledRejection', resolve)
  })

/**
 * Ends the process with an exit code. Call it when all output is written. `process.exit` waits for threads that
 * are in a system call, such as a name lookup, which can take long after an interrupt. An interrupted run
 * therefore gives them `afterMs` milliseconds, and then ends by SIGINT where some are still busy.
 */
export const leave = (code: number, afterMs = 10): void => {
  process.exitCode = code
  if (code !== interruptedExit) process.exit()
  setTimeout(() => {
    for (const name of signals) process.removeAllListeners(name)
    const waiting = process.getActiveResourcesInfo().some((name) => threads.has(name))
    if (waiting) process.kill(process.pid, 'SIGINT')
    else process.exit()
  }, afterMs).unref()
}

const threads = new Set([
  'GetAddrInfoReqWrap',
  'GetNameInfoReqWrap',
  'FSReqCallback',
  'FSReqPromise',
])
