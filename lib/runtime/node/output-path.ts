import { constants, promises } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { codeOf, systemError } from './error-reason'

/**
 * Returns the real path of a file, which may not exist yet. Links to one file have the same real path. Rejects with `ENOENT` if
 * the folder of the file does not exist.
 */
export const findRealPath = async (path: string): Promise<string> => {
  try {
    return await promises.realpath(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // A link to a file that does not exist yet has the real path of that file.
    const target = await promises.readlink(path).catch(() => undefined)
    return target === undefined
      ? join(await promises.realpath(dirname(path)), basename(path))
      : findRealPath(resolve(dirname(path), target))
  }
}

/**
 * Finds the file that a write to `path` would change, following links. Devices such as `/dev/null` are written
 * to and never replaced.
 */
export const findTarget = async (
  path: string,
): Promise<
  | { readonly kind: 'device' }
  | {
      readonly kind: 'file'
      readonly path: string
      /** The permissions of the file; absent where it does not exist yet. */
      readonly mode?: number
    }
> => {
  try {
    const stats = await promises.stat(path)
    if (stats.isDirectory()) throw systemError('EISDIR')
    if (!stats.isFile()) return { kind: 'device' }
    await promises.access(path, constants.W_OK)
    return { kind: 'file', path: await promises.realpath(path), mode: stats.mode & 0o777 }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return { kind: 'file', path }
  }
}

/** New files are readable by everyone and writable by their owner. */
export const newFileMode = 0o644

/**
 * Opens a named pipe for writing. Fails with `ENXIO` where the pipe has no reader, which opening it would
 * otherwise wait for forever. Writes wait until the reader takes them.
 */
export const openPipe = async (path: string): Promise<FileHandle> => {
  const first = await promises.open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    return await promises.open(path, constants.O_WRONLY)
  } finally {
    await first.close()
  }
}
