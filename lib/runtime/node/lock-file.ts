/**
 * The content of a lock file: a log to which processes append a line when they request or renew the lock. The order of the lines decides
 * who holds it, so every process that reads the file comes to the same result.
 */
import { constants, readFileSync, readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { hostname } from 'node:os'
import { codeOf } from './error-reason'

/** The place of a process. Its id means something only there. */
export interface ProcessPlace {
  readonly host: string
  /** The id of the current boot of the machine, or `null` if the system has none, as on macOS and Windows. */
  readonly boot: string | null
  /** The namespace of process ids: each container has its own. `null` if the system has none. */
  readonly namespace: string | null
}

/** A line of a lock file. */
export interface LockLine extends ProcessPlace {
  readonly process: number
  /** A random text. A lock belongs to whoever knows its token. */
  readonly token: string
  /** The holder whose lock the process takes over, because it has ended. `null` if it found no holder. */
  readonly replaces: Pick<LockHolder, 'token' | 'end'> | null
}

/** The holder of a lock. */
export interface LockHolder extends LockLine {
  /** The offset in the lock file at which the last line of the holder ends. */
  readonly end: number
}

/** A lock file at one moment. */
export interface LockState {
  readonly holder: LockHolder | undefined
  /** The time at which a process last appended to the file or touched it, in milliseconds since the Unix epoch. */
  readonly touchedMs: number
}

/** With these flags, opening a link fails, and opening a pipe does not wait for its other end. Windows has neither flag. */
export const safeLockFlags = constants.O_NOFOLLOW | constants.O_NONBLOCK

/** The maximum length of a host name. */
const maxHostLength = 255

/** A lock file of svc is smaller, even if it names a thousand runs that were killed. */
const maxLockFileBytes = 1 << 20

/** Returns the place of this process. */
export const findOwnPlace = (): ProcessPlace => ({
  host: hostname(),
  boot: readSystemText(() =>
    readFileSync('/proc/sys/kernel/random/boot_id', { encoding: 'latin1' }).trim(),
  ),
  namespace: readSystemText(() => readlinkSync('/proc/self/ns/pid')),
})

/** Reads a text that only Linux has. */
const readSystemText = (read: () => string): string | null => {
  try {
    return process.platform === 'linux' ? read() : null
  } catch {
    return null
  }
}

/**
 * Reads a lock file. Without the file there is no holder. Resolves to `foreign` if it has content that svc did not write, or if it is a
 * link, a folder, or unreadable.
 */
export const readLockFile = async (lockPath: string): Promise<LockState | 'foreign'> => {
  try {
    const file = await open(lockPath, constants.O_RDONLY | safeLockFlags)
    try {
      const { mtimeMs, size } = await file.stat()
      if (size > maxLockFileBytes) return 'foreign'
      const holder = findHolder(await file.readFile('utf8'))
      return holder === 'foreign' ? 'foreign' : { holder, touchedMs: mtimeMs }
    } finally {
      await file.close()
    }
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { holder: undefined, touchedMs: 0 } : 'foreign'
  }
}

export const formatLockLine = (line: LockLine): string => `${JSON.stringify(line)}\n`

/**
 * Finds the holder by the lines of a lock file. The first line gets the lock. A later line gets it only if it replaces the holder, and had
 * read all lines of that holder: then the holder has not renewed its lock in between.
 */
const findHolder = (content: string): LockHolder | undefined | 'foreign' => {
  let holder: LockHolder | undefined
  let end = 0
  for (const text of content.split('\n')) {
    end += Buffer.byteLength(text) + 1
    if (text === '') continue
    const line = parseLockLine(text)
    if (line === undefined) return 'foreign'
    const { replaces, token } = line
    const takesOver = replaces !== null && replaces.token === holder?.token
    const getsLock =
      holder === undefined || token === holder.token || (takesOver && replaces.end >= holder.end)
    if (getsLock) holder = { ...line, end }
  }
  return holder
}

/** Parses a line. Returns `undefined` if svc cannot have written it. */
const parseLockLine = (text: string): LockLine | undefined => {
  try {
    const line: unknown = JSON.parse(text)
    return isLockLine(line) ? line : undefined
  } catch {
    return undefined
  }
}

const isLockLine = (value: unknown): value is LockLine => {
  if (typeof value !== 'object' || value === null) return false
  const line = value as Readonly<Partial<Record<keyof LockLine, unknown>>>
  const isOptionalText = (text: unknown): boolean => text === null || typeof text === 'string'
  return (
    Number.isSafeInteger(line.process) &&
    (line.process as number) > 0 &&
    typeof line.host === 'string' &&
    line.host.length <= maxHostLength &&
    isOptionalText(line.boot) &&
    isOptionalText(line.namespace) &&
    typeof line.token === 'string' &&
    typeof line.replaces === 'object'
  )
}
