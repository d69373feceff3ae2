import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { until } from '../support/until'

/**
 * A program that listens with a backlog of 1 and prints its port. Then `Atomics.wait` blocks its event loop, so the program accepts no
 * connection. With a backlog of 1, Linux keeps two connections that are not accepted yet.
 */
const blockedProgram = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`

/**
 * Counts the connections to a port whose handshake has begun and not ended. Linux lists each on a line with the remote address, which
 * ends with the port in hexadecimal, and the state 02.
 */
const countConnecting = (port: number): number => {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8').split(`:${hexPort} 02 `).length - 1
}

/** Starts a service whose backlog is full: a connection to it neither succeeds nor fails. Works on Linux only. */
export const startFullBacklogService = async () => {
  const child = spawn(process.execPath, ['-e', blockedProgram], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await new Promise<number>((resolve) => {
    child.stdout.once('data', (text) => resolve(Number(text)))
  })
  // More connections than the backlog takes.
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  for (const filler of fillers) filler.on('error', () => undefined)
  const countWaitingFillers = () => fillers.filter(({ connecting }) => connecting).length
  // Connections enter the backlog in order. Once the first one has entered, the last ones have to wait.
  await until(() => countWaitingFillers() < fillers.length)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves once a further connection waits. */
    // Linux lists the waiting fillers too. One connection more is the further one.
    waitForConnection: (): Promise<void> =>
      until(() => countConnecting(port) > countWaitingFillers()),
    close: (): void => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}
