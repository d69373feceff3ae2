import { write as writeCallback, writeSync } from 'node:fs'
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
  let total = 0
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    let at = 0
    while (at < bytes.length && !gone) {
      try {
        const rest = bytes.subarray(at)
        const fits = total + rest.length <= atOnce
        const count = fits ? writeSync(fd, rest) : await writeLater(fd, rest)
        at += count
        total += count
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
      return fd === 1 ? process.stdout.columns : process.stderr.columns
    },
    write: (data) => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      const written = last.then(() => writeAll(bytes))
      last = written.catch(() => undefined)
      return written
    },
  }
}

/** Bytes that a pipe takes before anybody reads. They are written on the spot: starting threads for it takes longer. */
const atOnce = 4096

/** On a thread, so that an interrupt ends the wait for a reader. */
const writeLater = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
