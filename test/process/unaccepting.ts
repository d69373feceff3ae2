import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** Listens, prints its port and never runs its event loop again, so that nothing accepts. */
const deaf = `
const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
`

/** How many connections to `port` wait for a first word, by the system's own table where it has one. */
const knocking = (port: number): number => {
  const to = `:${port.toString(16).toUpperCase().padStart(4, '0')} 02 `
  try {
    return readFileSync('/proc/net/tcp', 'utf8').split(to).length - 1
  } catch {
    return Number.NaN
  }
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** A service whose queue is full: connections to it neither succeed nor fail. */
export const unaccepting = async () => {
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((done) => {
    child.stdout.once('data', (text) => done(Number(text)))
  })
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  for (const filler of fillers) filler.on('error', () => undefined)
  await pause(100)
  const before = knocking(port)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when one more connection is under way; where that cannot be told, after a second. */
    knocked: async (): Promise<void> => {
      if (Number.isNaN(before)) await pause(1000)
      else for (let n = 0; n < 1000 && knocking(port) <= before; n++) await pause(10)
    },
    close: (): void => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}
