import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './reason'

/**
 * Takes a name for this process alone; `undefined` where another process has it. The name goes with the
 * process, however that ends, because it is the address of a local socket: Node has no file locks. Linux
 * and Windows give the address free by themselves; elsewhere it is a file, and one that nobody listens
 * behind is taken over. It holds among the processes of one machine (on Linux: of one network namespace).
 */
export const lock = async (name: string): Promise<(() => Promise<void>) | undefined> => {
  const address = addressOf(name)
  const server = (await listen(address)) ?? (await takeOver(address))
  return (
    server &&
    (() =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }))
  )
}

const addressOf = (name: string): string => {
  if (process.platform === 'linux') return `\0svc-output-${name}`
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\svc-output-${name}`
    : join(tmpdir(), `svc-output-${name}.sock`)
}

const listen = (address: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.on('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    // It must not keep the process alive.
    server.listen(address, () => resolve(server.unref()))
  })

/** Only an address that is a file can be left over. */
const takeOver = async (address: string): Promise<Server | undefined> => {
  if (process.platform === 'linux' || process.platform === 'win32') return undefined
  if (await isAnswered(address)) return undefined
  await rm(address, { force: true })
  return listen(address)
}

const isAnswered = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
