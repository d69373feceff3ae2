import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './error-reason'

/**
 * Locks a name for this process; `undefined` where another process has it. Node has no file locks, so the lock
 * is a local socket that listens on an address made from the name. It is released when the process ends,
 * however it ends: on Linux and Windows the address then disappears; elsewhere it is a file, which the next
 * process takes over once nobody listens on it. The lock works between processes of one machine (on Linux: of
 * one network namespace).
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
    // The lock must not keep the process alive.
    server.listen(address, () => resolve(server.unref()))
  })

/** Takes over the address of a process that has ended. Only where addresses are files can one be left over. */
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
