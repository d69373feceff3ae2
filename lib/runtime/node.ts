import { nodeClock } from './node-clock'
import { nodeOutput } from './node-output'
import type { Runtime } from './runtime'

/** The production runtime: this process, this machine. */
export const nodeRuntime = (): Runtime => ({
  env: process.env,
  cwd: process.cwd(),
  nodeVersion: process.version,
  stdin: {
    get isTTY() {
      return process.getBuiltinModule('node:tty').isatty(0)
    },
    read: async (limit, signal) => (await import('./node-input')).readDescriptor(0, limit, signal),
  },
  stdout: nodeOutput(() => process.stdout),
  stderr: nodeOutput(() => process.stderr),
  clock: nodeClock,
  random: Math.random,
  signal: interruptSignal(),
  files: {
    read: async (...args) => (await nodeFiles()).read(...args),
    create: async (...args) => (await nodeFiles()).create(...args),
    replace: async (...args) => (await nodeFiles()).replace(...args),
    append: async (...args) => (await nodeFiles()).append(...args),
    checkWritable: async (...args) => (await nodeFiles()).checkWritable(...args),
  },
  fetch: async (url, init) => (await import('./node-fetch')).nodeFetch(url, init),
})

const nodeFiles = async () => (await import('./node-files')).nodeFiles

/** The first SIGINT or SIGTERM aborts; the second ends the process at once. */
const interruptSignal = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
