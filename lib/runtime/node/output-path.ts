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
    return target === undefined
      ? join(await promises.realpath(dirname(path)), basename(path))
      : findRealPath(resolve(dirname(path), target))
  }
}

/** The place that a write to a path changes. svc writes to a device or a pipe directly, and replaces a file. */
type WriteTarget =
  | { readonly kind: 'device' }
  | {
      readonly kind: 'file'
      readonly path: string
      /** The permissions of the file. Absent if it does not exist yet. */
      readonly mode?: number
    }

/** Finds out where a write to `path` goes, following links. Rejects with `EISDIR` for a folder, and if writing is not allowed. */
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
    return await promises.open(path, constants.O_WRONLY)
  } finally {
    await nonBlocking.close()
  }
}
