import { createHash, randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { codeOf, systemError } from './error-reason'

/** Gives up a lock. */
export type Release = () => Promise<void>

/**
 * Locks a name for this process; `undefined` where another process of the same user has it. Node has no file
 * locks, so a lock is a local socket that listens in a folder which only the user can enter. The system stops the
 * listening when the process ends, however it ends, so a killed process never blocks another. Rejects with
 * `ENOLOCKS` where no such folder can be made. R7
 */
export const lock = async (name: string): Promise<Release | undefined> => {
  if (process.platform === 'win32') return listenOn(`\\\\.\\pipe\\svc-output-${name}`)
  // Home folders may be shared between machines, but a socket is only heard on its own.
  const prefix = createHash('sha256').update(`${hostname()} ${name}`).digest('hex').slice(0, 24)
  const own = `${prefix}-${randomUUID().slice(0, 8)}`
  const { folder, release } = await listenInPrivate(own)
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
 * Listens in the folder of the locks. It must not depend on the environment, which may differ between two runs:
 * it lies in the home folder that the system knows, or in the folder for temporary files where that one is not
 * private or holds no sockets.
 */
const listenInPrivate = async (
  name: string,
): Promise<{ readonly folder: string; readonly release: Release }> => {
  for (const folder of [inHome(), join(tmpdir(), `svc-locks-${process.geteuid?.()}`)]) {
    if (folder === undefined || !(await isPrivate(folder))) continue
    const release = await listenOn(join(folder, name)).catch(() => undefined)
    if (release !== undefined) return { folder, release }
  }
  throw systemError('ENOLOCKS')
}

const inHome = (): string | undefined => {
  try {
    return join(userInfo().homedir, '.cache', 'svc-locks')
  } catch {
    // In a container the user may be unknown to the system.
    return undefined
  }
}

/** The longest path of the folder in bytes: the whole path of a socket has at most 103 bytes on macOS. */
const longestFolder = 64

/** Makes the folder where necessary, and checks that it is the user's own and closed to others. */
const isPrivate = async (folder: string): Promise<boolean> => {
  if (Buffer.byteLength(folder) > longestFolder) return false
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const stats = await lstat(folder)
    if (!stats.isDirectory() || stats.uid !== process.geteuid?.()) return false
    if ((stats.mode & 0o077) !== 0) await chmod(folder, 0o700)
    return true
  } catch {
    return false
  }
}

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
