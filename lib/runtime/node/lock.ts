import { constants } from 'node:fs'
import { appendFile, readFile, rm } from 'node:fs/promises'
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

const requestLock = (lock: string): Promise<void> =>
  appendFile(lock, `${process.pid} ${hostname()}\n`, {
    flag: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | safely,
  }).catch((error: unknown) => {
    // A full disk fails every write, so its message need not name the lock file.
    if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error) ?? '')) throw error
    throw new Error(`cannot write the lock file ${lock}: ${reasonOf(error)}`)
  })

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
