import { type Fetch, interruptedExitCode, type Runtime } from '../runtime'
import { nodeClock } from './clock'
import { nodeFiles } from './files'
import { readStdin, readStdinChunks } from './input'
import { createOutput, isFileDescriptorOfFile } from './output'
import { showInPager } from './pager'

/**
 * Creates the runtime of this process and installs its signal handlers. Also keeps Node's warnings off stderr, and unsets the variable
 * that would turn off the check of TLS certificates.
 */
export const startRuntime = (): Runtime => {
  process.removeAllListeners('warning')
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  return {
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
    isOutputKept: () => isFileDescriptorOfFile(1) || isFileDescriptorOfFile(2),
    uncaughtError: awaitUncaughtError(),
    openBrowser: async (address) =>
      (await import('./open-browser')).openBrowser(address, process.env, process.platform),
    showInPager,
    files: nodeFiles,
    fetch: async (url, init) => (await loadFetch())(url, init),
  }
}

let loadedFetch: Promise<Fetch> | undefined

/**
 * Loads the HTTP client before its first call. The client gets a copy of the environment, because `process.env` asks the system
 * for a variable on every access, which would slow down a batch.
 */
const loadFetch = (): Promise<Fetch> => {
  loadedFetch ??= import('../http/fetch').then((module) => module.createFetch({ ...process.env }))
  return loadedFetch
}

const interruptSignals = ['SIGINT', 'SIGTERM'] as const

/**
 * Creates an `AbortSignal` that fires on the first SIGINT or SIGTERM. Its reason is the name of that signal. The second SIGINT or
 * SIGTERM ends the process.
 */
const createInterruptSignal = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) exitProcess(interruptedExitCode, 0)
    controller.abort(name)
  }
  for (const name of interruptSignals) process.on(name, onSignal)
  return controller.signal
}

/** Resolves to the first uncaught exception or unhandled rejection. Without these listeners Node would print a stack trace. */
const awaitUncaughtError = (): Promise<unknown> =>
  new Promise((resolve) => {
    process.on('uncaughtException', resolve)
    process.on('unhandledRejection', resolve)
  })

/** The names that Node gives to operations that occupy a thread with a system call: name lookups, and operations on files. */
const threadResources = new Set([
  'GetAddrInfoReqWrap',
  'GetNameInfoReqWrap',
  'FSReqCallback',
  'FSReqPromise',
])

/**
 * Ends the process with an exit code. Call it after all output is written. `process.exit` waits for threads in system calls, such
 * as a name lookup, which can take many seconds. After an interrupt, svc waits at most `maxWaitMs` for them. If a thread is still
 * busy then, svc ends itself with SIGINT. On Windows `process.exit` does not wait, and a process that gets SIGINT exits with 1.
 */
export const exitProcess = (code: number, maxWaitMs = 10): void => {
  process.exitCode = code
  if (code !== interruptedExitCode) process.exit()
  const exitNow = (): void => {
    for (const name of interruptSignals) process.removeAllListeners(name)
    const isThreadBusy = process.getActiveResourcesInfo().some((name) => threadResources.has(name))
    if (isThreadBusy && process.platform !== 'win32') process.kill(process.pid, 'SIGINT')
    else process.exit()
  }
  setTimeout(exitNow, maxWaitMs).unref()
}
