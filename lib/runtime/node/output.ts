/** Writes to standard output and standard error, and finds out where a write to a path goes. */
import { constants, fstatSync, ftruncateSync, promises, write as writeCallback } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Output } from '../runtime'
import { codeOf, createSystemError } from './error-reason'

/**
 * Creates standard output (1) or standard error (2). Writes happen in the order of the calls. A write resolves even if the reader has
 * closed its end. After any other failure, such as a full disk, the write rejects. If the output is a file, svc then removes the part
 * that this write has written.
 *
 * The output writes to the file descriptor, because `process.stdout` takes milliseconds to set up, ends the process on a closed pipe,
 * and loses buffered data on `process.exit`. But a console of Windows shows bytes in its own encoding, and only the stream of Node converts
 * UTF-8 to what it needs.
 */
export const createOutput = (fd: 1 | 2, platform: NodeJS.Platform = process.platform): Output => {
  let lastWrite: Promise<unknown> = Promise.resolve()
  let isClosed = false
  const writeNow = async (bytes: Uint8Array): Promise<'written' | 'closed'> =>
    platform === 'win32' && process.getBuiltinModule('node:tty').isatty(fd)
      ? writeToStream(fd === 1 ? process.stdout : process.stderr, bytes)
      : writeAll(fd, bytes)
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
        if (!isClosed) isClosed = (await writeNow(bytes)) === 'closed'
      })
      lastWrite = written.catch(() => undefined)
      return written
    },
  }
}

/** Returns `true` if a file descriptor is open and is that of a regular file. */
export const isFileDescriptorOfFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    // The file descriptor is closed.
    return false
  }
}

/**
 * Returns an output that writes with `write`. It has no `isClosed`, because svc needs that only of stdout. `isDumbTerminal` makes its
 * `isTTY` false: such a terminal (`TERM=dumb`) cannot erase lines. `isTTY` of the original output is read only on demand, because the
 * first read takes Node a millisecond.
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

/** The codes of a write whose reader has closed its end. Windows reports `EOF`. */
const closedCodes = new Set(['EPIPE', 'ECONNRESET', 'EOF'])

/** Writes all bytes to the stream of a terminal. Resolves to `closed` if the terminal is gone. */
export const writeToStream = (stream: Writable, bytes: Uint8Array): Promise<'written' | 'closed'> =>
  new Promise((resolve, reject) => {
    // Without a listener, Node would end the process on an error.
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined)
    stream.write(bytes, (error) => {
      if (!error) resolve('written')
      else if (closedCodes.has(codeOf(error) ?? '')) resolve('closed')
      else reject(error)
    })
  })

/** Writes all bytes. Resolves to `closed` if the reader has closed its end. */
const writeAll = async (fd: number, bytes: Uint8Array): Promise<'written' | 'closed'> => {
  let offset = 0
  while (offset < bytes.length) {
    try {
      offset += await writeOnThread(fd, bytes.subarray(offset))
    } catch (error) {
      const code = codeOf(error)
      if (closedCodes.has(code ?? '')) return 'closed'
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

/** Removes the last `count` bytes of a file, which a failed write has written. Does nothing for a pipe or a terminal. */
const removeWritten = (fd: number, count: number): void => {
  const stats = fstatSync(fd)
  if (count > 0 && stats.isFile()) ftruncateSync(fd, stats.size - count)
}

/** Writes on one of Node's threads, so an interrupt can end the wait for a reader. Resolves to the number of bytes written. */
const writeOnThread = (fd: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    writeCallback(fd, bytes, (error, count) => {
      if (error) reject(error)
      else resolve(count)
    })
  })

/** The permissions of new files: everyone may read them, only their owner may write them. The umask of the process can narrow them. */
export const newFileMode = 0o644

/**
 * Resolves to the real path of a file, which need not exist. All links to a file have the same real path. Rejects with `ENOENT` if the
 * folder of the file does not exist.
 */
export const findRealPath = async (path: string): Promise<string> => {
  try {
    return await promises.realpath(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // `path` may be a link to a file that does not exist.
    const target = await promises.readlink(path).catch(() => undefined)
    if (target !== undefined) return findRealPath(resolve(dirname(path), target))
    return join(await promises.realpath(dirname(path)), basename(path))
  }
}

/** The target of a write to a path. svc replaces a file, and writes to anything else directly. */
type WriteTarget =
  /** A device, a pipe or a socket. */
  | { readonly kind: 'device' }
  | {
      readonly kind: 'file'
      /** The real path of a file that exists. Of a file that does not exist, and of a link to one, the path of the write. */
      readonly path: string
      /** The permissions of the file. Absent if it does not exist. */
      readonly mode?: number
    }

/**
 * Finds out what a write to `path` changes. Rejects with `EISDIR` for a folder, and with Node's error if the file may not be written or
 * its path cannot be followed.
 */
export const findTarget = async (path: string): Promise<WriteTarget> => {
  try {
    const stats = await promises.stat(path)
    if (stats.isDirectory()) throw createSystemError('EISDIR')
    if (!stats.isFile()) return { kind: 'device' }
    await promises.access(path, constants.W_OK)
    return { kind: 'file', path: await promises.realpath(path), mode: stats.mode & 0o777 }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return { kind: 'file', path }
  }
}

/**
 * Opens a named pipe for writing. Writes wait until a program reads them. Rejects with `ENXIO` if no program has opened the pipe
 * for reading. A plain `open` would wait for one forever.
 */
export const openPipe = async (path: string): Promise<FileHandle> => {
  const nonBlocking = await promises.open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    // `nonBlocking` only checks that there is a reader. If the pipe is full, a write to `nonBlocking` fails; to the new handle it waits.
    return await promises.open(path, constants.O_WRONLY)
  } finally {
    await nonBlocking.close()
  }
}
