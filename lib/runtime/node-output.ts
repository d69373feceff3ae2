import { fstatSync, write as writeCallback, writeSync } from 'node:fs'
import { codeOf } from './reason'
import type { Output } from './runtime'

/**
 * Descriptor 1 or 2. The bytes go straight to the system: `process.stdout` costs
 * milliseconds to set up, ends the process on a closed pipe and loses what it holds on `process.exit`.
 * A reader that went away is no error (D23); a full disk is.
 */
export const nodeOutput = (fd: 1 | 2): Output => {
  let last: Promise<unknown> = Promise.resolve()
  let gone = false
  let write: typeof writeLater | undefined
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    let at = 0
    while (at < bytes.length && !gone) {
      try {
        write ??= fstatSync(fd).isFile() ? writeNow : writeLater
        at += await write(fd, bytes, at)
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

/** Nobody reads a file while it is written, so there is nothing to wait for. */
const writeNow = async (fd: number, bytes: Uint8Array, from: number): Promise<number> =>
  writeSync(fd, bytes, from)

/** On a thread, so that an interrupt ends the wait for a reader. */
const writeLater = (fd: number, bytes: Uint8Array, from: number): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, from, bytes.length - from, null, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })
