import { fstatSync, ftruncateSync, write as writeCallback } from 'node:fs'
import type { Output } from '../runtime'
import { codeOf } from './error-reason'

/**
 * Standard output (1) or standard error (2). Bytes are written to the descriptor directly: `process.stdout`
 * takes milliseconds to set up, ends the process on a closed pipe, and loses buffered data on `process.exit`. A
 * reader that has gone away is not an error; a full disk is, and a file then keeps no part of a write.
 */
export const createOutput = (fd: 1 | 2): Output => {
  let last: Promise<unknown> = Promise.resolve()
  let gone = false
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    let at = 0
    while (at < bytes.length && !gone) {
      try {
        const rest = bytes.subarray(at)
        at += await writeOnThread(fd, rest)
      } catch (error) {
        const code = codeOf(error)
        if (code === 'EPIPE' || code === 'ECONNRESET') gone = true
        else if (code === 'EAGAIN') await new Promise((resolve) => setTimeout(resolve, 1))
        else {
          removeLast(fd, at)
          throw error
        }
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

/** Removes the last bytes of a file, to which a write came that the disk took only in part. */
const removeLast = (fd: number, count: number): void => {
  const stats = fstatSync(fd)
  if (count > 0 && stats.isFile()) ftruncateSync(fd, stats.size - count)
}

/** Writes on one of Node's threads, so that an interrupt can end the wait for a reader. */
const writeOnThread = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
