import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { until } from '../support/until'

/** Listens, prints its port and never runs its event loop again, so that nothing accepts. */
const deaf = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`

/** Counts the connections to `port` that wait for a first byte, by Linux's table. */
const knocking = (port: number): number => {
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `
  return readFileSync('/proc/net/tcp', 'utf8').split(to).length - 1
}

/** A service whose queue is full: connections to it neither succeed nor fail. Linux only. */
export const startUnaccepting = async () => {
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((done) => {
    child.stdout.once('data', (text) => done(Number(text)))
  })
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  for (const filler of fillers) filler.on('error', () => undefined)
  const waiting = () => fillers.filter(({ connecting }) => connecting).length
  // They are taken in order. When the first ones are taken, the rest must wait.
  await until(() => waiting() < fillers.length)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when one more connection is under way. */
    knocked: (): Promise<void> => until(() => knocking(port) > waiting()),
    close: (): void => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}
