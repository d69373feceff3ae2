import { fstatSync, ftruncateSync, write as writeCallback } from 'node:fs'
import type { Output } from '../runtime'
import { codeOf } from './error-reason'

/**
 * Creates standard output (1) or standard error (2). Writes happen in the order of the calls. A write resolves even if the reader has
 * closed its end. If the output is a file and the disk is full, the write rejects, and svc removes the part that was written.
 *
 * The output writes to the file descriptor, because `process.stdout` takes milliseconds to set up, ends the process on a closed pipe,
 * and loses buffered data on `process.exit`.
 */
export const createOutput = (fd: 1 | 2): Output => {
  let lastWrite: Promise<unknown> = Promise.resolve()
  let isClosed = false
  return {
    get isTTY() {
      return process.getBuiltinModule('node:tty').isatty(fd)
    },
    get columns() {
      // A terminal of unknown size reports 0.
      return (fd === 1 ? process.stdout : process.stderr).columns || undefined
    },
    get isClosed() {
      return isClosed
    },
    write: (data) => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      const written = lastWrite.then(async () => {
        if (!isClosed) isClosed = (await writeAll(fd, bytes)) === 'closed'
      })
      lastWrite = written.catch(() => undefined)
      return written
    },
  }
}

/**
 * Returns an output that writes with `write`. `isDumbTerminal` makes its `isTTY` false, because such a terminal
 * (`TERM=dumb`) cannot erase lines. `isTTY` of the original output is read only on demand: the first read takes Node a
 * millisecond.
 */
export const replaceWrite = (
  output: Output,
  write: Output['write'],
  isDumbTerminal = false,
): Output => ({
  get isTTY() {
    return !isDumbTerminal && output.isTTY
  },
  get columns() {
    return output.columns
  },
  write,
})

/** Writes all bytes. Resolves to `closed` if the reader has closed its end. */
const writeAll = async (fd: number, bytes: Uint8Array): Promise<'written' | 'closed'> => {
  let offset = 0
  while (offset < bytes.length) {
    try {
      offset += await writeOnThread(fd, bytes.subarray(offset))
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EPIPE' || code === 'ECONNRESET') return 'closed'
      if (code !== 'EAGAIN') {
        removeWritten(fd, offset)
        throw error
      }
      // The pipe is full, and another process has made it non-blocking.
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  return 'written'
}

/** Removes the last `count` bytes, which a file got before the disk was full. */
const removeWritten = (fd: number, count: number): void => {
  const stats = fstatSync(fd)
  if (count > 0 && stats.isFile()) ftruncateSync(fd, stats.size - count)
}

/** Writes on one of Node's threads, so an interrupt can end the wait for a reader. */
const writeOnThread = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
