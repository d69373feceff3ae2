import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  write as writeCallback,
  writeSync,
} from 'node:fs'
import { codeOf } from './reason'
import type { Output } from './runtime'

/**
 * Descriptor 1 or 2. The bytes go straight to the system: `process.stdout` costs milliseconds to set up, ends
 * the process on a closed pipe and loses what it holds on `process.exit`.
 * A reader that went away is no error (D23); a full disk is.
 */
export const nodeOutput = (fd: 1 | 2): Output => {
  let last: Promise<unknown> = Promise.resolve()
  let gone = false
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    let at = 0
    while (at < bytes.length && !gone) {
      try {
        const rest = bytes.subarray(at)
        at += writeNow(fd, rest) ?? (await writeLater(fd, rest))
      } catch (error) {
        const code = codeOf(error)
        if (code === 'EPIPE' || code === 'ECONNRESET') gone = true
        else if (code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, 1))
        else throw error
      }
    }
  }
  return {
    get isTTY() {
      return process.getBuiltinModule('node:tty').isatty(fd)
    },
    get columns() {
      // A terminal that was told no size has 0.
      return (fd === 1 ? process.stdout : process.stderr).columns || undefined
    },
    get isClosed() {
      return gone
    },
    write: (data) => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      const written = last.then(() => writeAll(bytes))
      last = written.catch(() => undefined)
      return written
    },
  }
}

/** In bytes: an output of this size fits at once into all but a full pipe. */
const small = 4096

/**
 * Writes a small output at once, not on one of Node's threads, whose start takes longer than the write. That is safe
 * for a file, which always takes the bytes, and for what Linux can open a second time so that a write never waits (a
 * pipe, a terminal). Gives the number of bytes written, or `undefined` where a thread has to do it.
 */
const writeNow = (fd: number, bytes: Uint8Array): number | undefined => {
  if (bytes.length > small) return undefined
  try {
    const behind = fstatSync(fd)
    if (behind.isFile()) return writeSync(fd, bytes)
    // Node gives its children a socket where others give a pipe. A socket cannot be opened a second time.
    if (behind.isSocket()) return undefined
    const opened = openSync(`/proc/self/fd/${fd}`, withoutWaiting)
    try {
      return writeSync(opened, bytes)
    } finally {
      closeSync(opened)
    }
  } catch {
    return undefined
  }
}

const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** On a thread, so that an interrupt ends the wait for a reader. */
const writeLater = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
