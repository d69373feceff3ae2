import { constants, promises } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, createSystemError } from './error-reason'

/** The permissions of new files: everyone may read them, only their owner may write them. The umask can narrow this. */
export const newFileMode = 0o644

/**
 * Resolves to the real path of a file, which may not exist yet. Links to one file have the same real path. Rejects with `ENOENT`
 * if the folder of the file does not exist.
 */
export const findRealPath = async (path: string): Promise<string> => {
  try {
    return await promises.realpath(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // `path` may be a link to a file that does not exist yet. The real path is then that of the missing file.
    const target = await promises.readlink(path).catch(() => undefined)
    if (target !== undefined) return findRealPath(resolve(dirname(path), target))
    return join(await promises.realpath(dirname(path)), basename(path))
  }
}

/** The file or device that a write to a path changes. svc replaces a file, and writes to a device or a pipe directly. */
type WriteTarget =
  /** A device, a pipe or a socket. */
  | { readonly kind: 'device' }
  | {
      readonly kind: 'file'
      readonly path: string
      /** The permissions of the file. Absent if it does not exist yet. */
      readonly mode?: number
    }

/**
 * Finds out where a write to `path` goes, following links. Rejects with `EISDIR` for a folder, and with Node's error if writing is not
 * allowed.
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
    // The first handle only checks that there is a reader: a write to it would fail if the pipe is full. A write to this one waits.
    return await promises.open(path, constants.O_WRONLY)
  } finally {
    await nonBlocking.close()
  }
}
