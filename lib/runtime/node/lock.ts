import { constants } from 'node:fs'
import { appendFile, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { codeOf, reasonOf } from './error-reason'

/** Unlocks a file by deleting its lock file. Never rejects: if the lock file remains, a later process takes it over. */
export type ReleaseLock = () => Promise<void>

/**
 * Locks a file for this process by a lock file `<path>.lock`. Rejects if another process holds the lock or might hold it; the
 * message names the lock file. The lock of a process that has ended is taken over.
 *
 * A process asks for the lock by appending a line with its id and host name. The first line of a running process holds the
 * lock, so if two processes find the lock of a killed one, only one of them takes it over.
 */
export const acquireLock = async (path: string): Promise<ReleaseLock> => {
  const lock = `${path}.lock`
  if (heldLocks.has(lock)) throw lockedBy(process.pid, lock)
  heldLocks.add(lock)
  try {
    if ((await readHolder(lock)) === undefined) await requestLock(lock)
    const holder = await readHolder(lock)
    if (holder !== process.pid) throw lockedBy(holder, lock)
  } catch (error) {
    heldLocks.delete(lock)
    throw error
  }
  return async () => {
    await rm(lock, { force: true }).catch(() => undefined)
    heldLocks.delete(lock)
  }
}

/**
 * The lock files of this process. Another lock file with the id of this process was left by a killed process that had the
 * same id, as in a container that was restarted.
 */
const heldLocks = new Set<string>()

/** Returns the id of the process that holds a lock. Rejects if the lock file is not readable or names another host. */
const readHolder = async (lock: string): Promise<number | undefined> => {
  const text = await readFile(lock, { encoding: 'utf8', flag: constants.O_RDONLY | safely }).catch(
    (error: unknown) => (codeOf(error) === 'ENOENT' ? '' : 'not readable'),
  )
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, id, host] = /^(\d+) (\S+)$/.exec(line) ?? []
    if (host !== hostname()) throw lockedBy(undefined, lock)
    if (isRunning(Number(id))) return Number(id)
  }
  return undefined
}

const requestLock = async (lock: string): Promise<void> => {
  const flag = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | safely
  try {
    await appendFile(lock, `${process.pid} ${hostname()}\n`, { flag })
  } catch (error) {
    if (!diskFullCodes.has(codeOf(error) ?? ''))
      throw new Error(`cannot write the lock file ${lock}: ${reasonOf(error)}`)
    // The empty file holds no lock, and other processes cannot write to it either.
    if ((await stat(lock)).size === 0) await rm(lock, { force: true })
    throw error
  }
}

const diskFullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Follows no link, and does not wait for the other end of a pipe. Windows has neither flag. */
const safely = constants.O_NOFOLLOW | constants.O_NONBLOCK

const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

const lockedBy = (holder: number | undefined, lock: string): Error =>
  holder === undefined
    ? new Error(`another run may be writing it; if none is, remove ${lock}`)
    : new Error(`another run is writing it (process ${holder}, lock file ${lock})`)
