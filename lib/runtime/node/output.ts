import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  write as writeCallback,
  writeSync,
} from 'node:fs'
import type { Output } from '../runtime'
import { codeOf } from './error-reason'

/**
 * Standard output (1) or standard error (2). Bytes are written to the descriptor directly: `process.stdout`
 * takes milliseconds to set up, ends the process on a closed pipe, and loses buffered data on `process.exit`. A
 * reader that has gone away is not an error (D23); a full disk is.
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
      // A terminal of unknown size reports 0.
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

/** The most bytes that are written synchronously: unless a pipe is full, they fit into it at once. */
const small = 4096

/**
 * Writes a small output synchronously, because starting one of Node's threads takes longer than the write. That
 * is safe where the write cannot block: in a file, and in a pipe or terminal that Linux lets a process open a
 * second time without blocking. Returns the number of bytes written, or `undefined` where a thread has to
 * write.
 */
const writeNow = (fd: number, bytes: Uint8Array): number | undefined => {
  if (bytes.length > small) return undefined
  try {
    const behind = fstatSync(fd)
    if (behind.isFile()) return writeSync(fd, bytes)
    // Node gives its child processes a socket instead of a pipe. A socket cannot be opened a second time.
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

/** Writes on one of Node's threads, so that an interrupt can end the wait for a reader. */
const writeLater = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
