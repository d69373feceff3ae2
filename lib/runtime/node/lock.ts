import { createHash, randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { isPrivate } from './before-start'
import { codeOf, systemError } from './error-reason'

/** Gives up a lock. */
export type Release = () => Promise<void>

/**
 * Locks a name for this process; `undefined` where another process of the same user has it. Node has no file
 * locks, so a lock is a local socket that listens in a folder which only the user can enter. The system stops the
 * listening when the process ends, however it ends, so a killed process never blocks another. Where no such folder
 * can be made, as in a container that may write nothing but its output, Linux has sockets without a file; elsewhere
 * it rejects with `ENOLOCKS`.
 */
export const lock = async (
  name: string,
  folders = listLockFolders(),
): Promise<Release | undefined> => {
  if (process.platform === 'win32') return listenOn(`\\\\.\\pipe\\svc-output-${name}`)
  // Home folders may be shared between machines, but a socket is only heard on its own.
  const prefix = createHash('sha256').update(`${hostname()} ${name}`).digest('hex').slice(0, 24)
  const own = `${prefix}-${randomUUID().slice(0, 8)}`
  const listening = await listenInPrivate(own, folders)
  if (listening === undefined) return lockWithoutFile(prefix)
  const { folder, release } = listening
  // Each process listens before it looks for others. Of two that start at the same time, at least one thus sees
  // the other, and no process ever takes over a socket of another.
  for (const other of await readdir(folder)) {
    if (!other.startsWith(prefix) || other === own) continue
    if (await isAnswered(join(folder, other))) {
      await release()
      return undefined
    }
    await rm(join(folder, other), { force: true })
  }
  return release
}

/**
 * The folders that may hold the locks, the best one first. They must not depend on the environment, which may differ
 * between two runs: the home folder is the one that the system knows.
 */
const listLockFolders = (): ReadonlyArray<string> => [
  ...findHomeFolder(),
  join(tmpdir(), `svc-locks-${process.geteuid?.()}`),
]

/** Listens in the first folder that is private and holds sockets; `undefined` where there is none. */
const listenInPrivate = async (
  name: string,
  folders: ReadonlyArray<string>,
): Promise<{ readonly folder: string; readonly release: Release } | undefined> => {
  for (const folder of folders) {
    if (Buffer.byteLength(folder) > longestFolder || !isPrivate(folder)) continue
    const release = await listenOn(join(folder, name)).catch(() => undefined)
    if (release !== undefined) return { folder, release }
  }
  return undefined
}

/**
 * Locks a name by a socket that has no file. The name fills the whole address, since versions of Node differ in how
 * they pad it.
 */
const lockWithoutFile = (name: string): Promise<Release | undefined> => {
  if (process.platform !== 'linux') throw systemError('ENOLOCKS')
  return listenOn(`\0svc-output-${process.geteuid?.()}-${name}`.padEnd(addressLength, '-'))
}

/** The length of the address of a local socket on Linux, in bytes. */
const addressLength = 108

const findHomeFolder = (): ReadonlyArray<string> => {
  try {
    return [join(userInfo().homedir, '.cache', 'svc-locks')]
  } catch {
    // In a container the user may be unknown to the system.
    return []
  }
}

/** The longest path of the folder in bytes: the whole path of a socket has at most 103 bytes on macOS. */
const longestFolder = 64

/** Listens on an address; `undefined` where somebody else does. */
const listenOn = (address: string): Promise<Release | undefined> =>
  new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy())
    server.on('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    const release: Release = () => new Promise((done) => server.close(() => done()))
    server.listen(address, () => {
      // The lock must not keep the process alive.
      server.unref()
      resolve(release)
    })
  })

const isAnswered = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(address)
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
