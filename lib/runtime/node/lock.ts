import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { appendFile, readFile, rm, utimes } from 'node:fs/promises'
import type { Clock } from '../runtime'
import { codeOf, reasonOf } from './error-reason'
import {
  findOwnPlace,
  formatLockLine,
  type LockHolder,
  type LockLine,
  type ProcessPlace,
  readLockFile,
  safeLockFlags,
} from './lock-file'

/** A file that this process has locked. */
export interface HeldLock {
  /**
   * Rejects if another process has taken over the lock. Call it before each write. It reads the lock file only if this process stood
   * still for a minute, for example because the machine slept.
   */
  readonly check: () => Promise<void>
  /** Unlocks the file by deleting its lock file. Never rejects. If the lock file remains, a later process takes it over. */
  readonly release: () => Promise<void>
}

export interface LockOptions {
  readonly clock?: Pick<Clock, 'now' | 'timer'>
  readonly place?: ProcessPlace
}

/** The holder touches its lock file this often. */
export const touchIntervalMs = 10_000

/** After this time without a touch, the holder appends to its lock file and reads it again, because it may have lost the lock. */
const maxTouchGapMs = 60_000

/** After this time without a touch, a holder that cannot be looked up counts as dead. */
const maxSilenceMs = 120_000

/** A clock whose timer does not keep the process alive. */
const lockClock: Pick<Clock, 'now' | 'timer'> = {
  now: () => Date.now(),
  timer: (ms, run) => {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The lock files of this process. The id of this process in another lock file is that of a process that ended. */
const heldLocks = new Set<string>()

/**
 * Locks a file for this process with a lock file `<path>.lock`. Takes over the lock of a process that has ended. Rejects if this or
 * another process holds the lock, or may hold it. The message then names the lock file. Also rejects if the lock file cannot be written.
 *
 * A process may run in another container or on another machine that shares the folder, where svc cannot look up whether it has ended.
 * It counts as ended after two minutes in which it did not touch its lock file.
 */
export const acquireLock = async (path: string, options: LockOptions = {}): Promise<HeldLock> => {
  const lockPath = `${path}.lock`
  const { clock = lockClock, place = findOwnPlace() } = options
  if (heldLocks.has(lockPath)) throw createHeldError(process.pid, lockPath)
  heldLocks.add(lockPath)
  try {
    const token = randomUUID()
    const ownLine = { process: process.pid, ...place, token, replaces: null }
    await requestLock(lockPath, ownLine, clock)
    return holdLock(lockPath, ownLine, clock)
  } catch (error) {
    heldLocks.delete(lockPath)
    throw error
  }
}

/** Rejects if another process holds the lock of a file, or may hold it. Does not lock the file. */
export const checkUnlocked = async (path: string): Promise<void> => {
  const lockPath = `${path}.lock`
  if (heldLocks.has(lockPath)) throw createHeldError(process.pid, lockPath)
  await findEndedHolder(lockPath, findOwnPlace(), lockClock)
}

/** A request fails after this number of attempts. */
const maxAttempts = 10

/** Requests the lock until it is clear which process holds it. Rejects if that is another one. */
const requestLock = async (
  lockPath: string,
  ownLine: LockLine,
  clock: Pick<Clock, 'now'>,
): Promise<void> => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const ended = await findEndedHolder(lockPath, ownLine, clock)
    const replaces = ended === undefined ? null : { token: ended.token, end: ended.end }
    await appendFirstLine(lockPath, { ...ownLine, replaces })
    const state = await readLockFile(lockPath)
    if (state === 'foreign') throw createForeignError(lockPath)
    if (state.holder?.token === ownLine.token) return
    // Without a holder, the process that had the lock has just deleted its lock file, with the new line in it.
    if (state.holder !== undefined) throw createHeldError(state.holder.process, lockPath)
  }
  throw new Error(`its lock file ${lockPath} disappears again and again`)
}

/**
 * Resolves to the holder if it has ended, and to `undefined` if there is none. Rejects if the holder is running, or if that cannot be
 * looked up and its last touch is recent.
 */
const findEndedHolder = async (
  lockPath: string,
  place: ProcessPlace,
  clock: Pick<Clock, 'now'>,
): Promise<LockHolder | undefined> => {
  const state = await readLockFile(lockPath)
  if (state === 'foreign') throw createForeignError(lockPath)
  const { holder, touchedMs } = state
  if (holder === undefined) return undefined
  if (canLookUp(holder, place)) {
    if (isRunning(holder.process)) throw createHeldError(holder.process, lockPath)
  } else if (clock.now() - touchedMs <= maxSilenceMs) {
    throw createUnknownError(holder, lockPath)
  }
  return holder
}

/** Returns `true` if the process id of the holder means the same process here. Without a boot id, the host must have the same name. */
const canLookUp = (holder: ProcessPlace, place: ProcessPlace): boolean => {
  if (holder.namespace !== place.namespace) return false
  return holder.boot === null || place.boot === null
    ? holder.host === place.host
    : holder.boot === place.boot
}

/** Returns `true` if another process with this id is running. */
const isRunning = (processId: number): boolean => {
  // The locks of this process are in `heldLocks`. This is the lock of a killed process that had the same id.
  if (processId === process.pid) return false
  try {
    // Signal 0 only checks if the process exists.
    return process.kill(processId, 0)
  } catch (error) {
    // Any other error means that the process exists: `EPERM`, for example, that it belongs to another user.
    return codeOf(error) !== 'ESRCH'
  }
}

const appendLine = (lockPath: string, line: LockLine): Promise<void> => {
  const flag = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | safeLockFlags
  return appendFile(lockPath, formatLockLine(line), { flag })
}

const diskFullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Appends the line with which a process requests the lock. On a full disk, removes a lock file that has no complete line. */
const appendFirstLine = async (lockPath: string, line: LockLine): Promise<void> => {
  try {
    await appendLine(lockPath, line)
  } catch (error) {
    const isDiskFull = diskFullCodes.has(codeOf(error) ?? '')
    if (!isDiskFull) throw new Error(`cannot write the lock file ${lockPath}: ${reasonOf(error)}`)
    // No process can hold the lock of such a file.
    const content = await readFile(lockPath, 'utf8')
    if (!content.includes('\n')) await rm(lockPath, { force: true })
    throw error
  }
}

/** Keeps a lock that this process has got, until it is released. */
const holdLock = (
  lockPath: string,
  ownLine: LockLine,
  clock: Pick<Clock, 'now' | 'timer'>,
): HeldLock => {
  let isHeld = true
  let isReleased = false
  let lastTouchMs = clock.now()
  let cancelTimer = (): void => undefined
  const readIsHeld = async (): Promise<boolean> => {
    const state = await readLockFile(lockPath)
    return state !== 'foreign' && state.holder?.token === ownLine.token
  }
  const touch = async (): Promise<void> => {
    const nowMs = clock.now()
    const now = new Date(nowMs)
    const wasTouched = await utimes(lockPath, now, now).then(
      () => true,
      () => false,
    )
    // A new line shows that this process still lives, unless the line of another process that took over the lock comes first. It also
    // creates a lock file again that a person removed.
    if (!wasTouched || nowMs - lastTouchMs > maxTouchGapMs)
      await appendLine(lockPath, ownLine).catch(() => undefined)
    isHeld = await readIsHeld()
    lastTouchMs = nowMs
  }
  let currentTouch: Promise<void> | undefined
  const touchOnce = (): Promise<void> => {
    currentTouch ??= touch().finally(() => {
      currentTouch = undefined
    })
    return currentTouch
  }
  const scheduleTouch = (): void => {
    cancelTimer = clock.timer(touchIntervalMs, () => {
      void touchOnce().then(() => {
        if (!isReleased) scheduleTouch()
      })
    })
  }
  scheduleTouch()
  return {
    check: async () => {
      if (isHeld && clock.now() - lastTouchMs > maxTouchGapMs) await touchOnce()
      if (!isHeld) throw createLostError(lockPath)
    },
    release: async () => {
      if (isReleased) return
      isReleased = true
      cancelTimer()
      await currentTouch
      if (await readIsHeld())
        await rm(lockPath, { force: true, maxRetries: 3 }).catch(() => undefined)
      heldLocks.delete(lockPath)
    },
  }
}

/** Creates the error for a file that a running process has locked. */
const createHeldError = (processId: number, lockPath: string): Error =>
  new Error(`another svc is writing it (process ${processId}, lock file ${lockPath})`)

/** Creates the error for a file that a process has locked of which svc cannot find out if it has ended. */
const createUnknownError = ({ process: processId, host }: LockHolder, lockPath: string): Error => {
  const holder = `process ${processId} of the machine or container ${host}`
  return new Error(
    `another svc may be writing it: ${holder} touched its lock file ${lockPath} in the last 2 minutes; wait, or remove that file if the process has ended`,
  )
}

const createForeignError = (lockPath: string): Error =>
  new Error(
    `it cannot be locked: ${lockPath} is not a lock file of svc; remove it if you do not need it`,
  )

const createLostError = (lockPath: string): Error =>
  new Error(`another svc took it over while this one stood still (lock file ${lockPath})`)
