import { type Fetch, interruptedExitCode, type Runtime } from '../runtime'
import { nodeClock } from './clock'
import { nodeFiles } from './files'
import { readStdin, readStdinChunks } from './input'
import { createOutput } from './output'

/**
 * The runtime of the program itself: this process on this machine. It also keeps Node's warnings off stderr,
 * and removes the variable that would make Node skip the check of certificates.
 */
export const startRuntime = (): Runtime => {
  process.removeAllListeners('warning')
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  return createRuntime()
}

const createRuntime = (): Runtime => ({
  env: process.env,
  nodeVersion: process.version,
  stdin: {
    get isTTY() {
      return process.getBuiltinModule('node:tty').isatty(0)
    },
    read: readStdin,
    chunks: readStdinChunks,
  },
  stdout: createOutput(1),
  stderr: createOutput(2),
  clock: nodeClock,
  random: Math.random,
  signal: createInterruptSignal(),
  onHangup: (run) => process.on('SIGHUP', run),
  uncaughtError: awaitCrash(),
  files: nodeFiles,
  fetch: async (url, init) => (await loadFetch())(url, init),
})

/**
 * Loads the HTTP client with the first call. It receives a copy of the environment: Node asks the system for a
 * variable on every access, which would slow down a batch of many calls.
 */
const loadFetch = (): Promise<Fetch> => {
  loadedFetch ??= import('../http/fetch').then((module) => module.createFetch({ ...process.env }))
  return loadedFetch
}

let loadedFetch: Promise<Fetch> | undefined

/** A signal that the first SIGINT or SIGTERM aborts, with its name as the reason. The second ends the process at once. */
const createInterruptSignal = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) exitProcess(interruptedExitCode, 0)
    controller.abort(name)
  }
  for (const name of signals) process.on(name, onSignal)
  return controller.signal
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves with the first exception that nobody caught. Without these listeners Node would print its stack. */
const awaitCrash = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.on('uncaughtException', resolve)
    process.on('unhandledRejection', resolve)
  })

/**
 * Ends the process with an exit code. Call it when all output is written. `process.exit` waits for threads that
 * are in a system call, such as a name lookup, which can take long after an interrupt. An interrupted run
 * therefore gives them `afterMs` milliseconds, and then ends by SIGINT where some are still busy.
 */
export const exitProcess = (code: number, afterMs = 10): void => {
  process.exitCode = code
  if (code !== interruptedExitCode) process.exit()
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
