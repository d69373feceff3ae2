import { constants, promises } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ReadRegular } from '../runtime'
import { createSystemError } from './error-reason'
import { joinChunks, readBlocks } from './input'

/** Reads a regular file. The type `ReadRegular` lists its errors. */
export const readRegular: ReadRegular = async (path, { limit, signal, within }) => {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw createSystemError('EISDIR')
    if (!stats.isFile()) throw createSystemError('ENOTREGULAR')
    if (within !== undefined && (await isLinkedOutside(path, within)))
      throw createSystemError('ELEAVESFOLDER')
    // The size is only a hint for the size of the blocks: the file may grow.
    const bytes = await joinChunks(readBlocks(file.fd, signal, stats.size), limit)
    signal.throwIfAborted()
    return { bytes, size: stats.size }
  } finally {
    await file.close()
  }
}

/**
 * Resolves to `true` if `path` begins with the path of the folder, but a link in it leads out of the folder. Resolves to `false` for a
 * path elsewhere, which the caller must refuse if it may not be read.
 */
const isLinkedOutside = async (path: string, folder: string): Promise<boolean> => {
  if (!isBelow(resolve(folder), resolve(path))) return false
  return !isBelow(await promises.realpath(folder), await promises.realpath(path))
}

/** Returns `true` if `path` is the folder or inside it. Both must be absolute. Compares the texts of the paths only. */
const isBelow = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path)
  if (relativePath === '..' || relativePath.startsWith(`..${sep}`)) return false
  // On Windows, the relative path to another drive is absolute.
  return !isAbsolute(relativePath)
}
