import { constants } from 'node:fs'
import { appendFile, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { codeOf, reasonOf } from './error-reason'

/** Unlocks a file by deleting its lock file. Never rejects. If the lock file cannot be deleted, a later process takes it over. */
export type ReleaseLock = () => Promise<void>

/**
 * The lock files of this process. Another lock file may have the id of this process too, if a killed process had the same id, for
 * example in a container that was restarted.
 */
const heldLocks = new Set<string>()

/** With these flags, opening a link fails, and opening a pipe does not wait for its other end. Windows has neither flag. */
const safeFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK

const diskFullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/**
 * Locks a file for this process with a lock file `<path>.lock`. Takes over the lock of a process that has ended. Rejects if this or
 * another process holds the lock, or may hold it. The message then names the lock file. Also rejects if the lock file cannot be written.
 *
 * A process requests the lock by appending a line with its id and host name to the lock file. The process of the first line holds the
 * lock, or if it has ended, that of the next line. So only one of several processes that request a lock at once gets it.
 */
export const acquireLock = async (path: string): Promise<ReleaseLock> => {
  const lockPath = `${path}.lock`
  if (heldLocks.has(lockPath)) throw createLockError(process.pid, lockPath)
  heldLocks.add(lockPath)
  try {
    const previousHolder = await readHolder(lockPath)
    if (previousHolder === undefined) await requestLock(lockPath)
    // Another process may have requested the lock at the same time, and first.
    const holder = await readHolder(lockPath)
    if (holder !== process.pid) throw createLockError(holder, lockPath)
  } catch (error) {
    heldLocks.delete(lockPath)
    throw error
  }
  return async () => {
    await rm(lockPath, { force: true }).catch(() => undefined)
    heldLocks.delete(lockPath)
  }
}

/**
 * Resolves to the id of the process that holds a lock, or to `undefined` if none does. Rejects if the lock file is unreadable or names
 * another host.
 */
const readHolder = async (lockPath: string): Promise<number | undefined> => {
  const lines = (await readLockFile(lockPath)).split('\n').filter((line) => line !== '')
  for (const line of lines) {
    const [, id, host] = /^(\d+) (\S+)$/.exec(line) ?? []
    if (host !== hostname()) throw createLockError(undefined, lockPath)
    if (isRunning(Number(id))) return Number(id)
  }
  return undefined
}

/** Resolves to the text of a lock file, or to `''` if it does not exist. */
const readLockFile = async (lockPath: string): Promise<string> => {
  try {
    return await readFile(lockPath, { encoding: 'utf8', flag: constants.O_RDONLY | safeFlags })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw createLockError(undefined, lockPath)
  }
}

/** Appends the line of this process to the lock file, and creates the file if necessary. */
const requestLock = async (lockPath: string): Promise<void> => {
  const flag = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | safeFlags
  try {
    await appendFile(lockPath, `${process.pid} ${hostname()}\n`, { flag })
  } catch (error) {
    const isDiskFull = diskFullCodes.has(codeOf(error) ?? '')
    if (!isDiskFull) throw new Error(`cannot write the lock file ${lockPath}: ${reasonOf(error)}`)
    // An empty lock file would remain. It is safe to remove, because no process can hold the lock of an empty file.
    if ((await stat(lockPath)).size === 0) await rm(lockPath, { force: true })
    throw error
  }
}

const isRunning = (processId: number): boolean => {
  try {
    // Signal 0 only checks if the process exists.
    return process.kill(processId, 0)
  } catch (error) {
    // Any other error means that the process exists: `EPERM`, for example, that it belongs to another user.
    return codeOf(error) !== 'ESRCH'
  }
}

/** Creates the error for a locked file. `holder` is the id of the process that holds the lock, if it is known. */
const createLockError = (holder: number | undefined, lockPath: string): Error =>
  holder === undefined
    ? new Error(`another run may be writing it; if none is, remove ${lockPath}`)
    : new Error(`another run is writing it (process ${holder}, lock file ${lockPath})`)
