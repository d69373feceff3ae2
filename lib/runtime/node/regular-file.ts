import { constants, promises } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ReadRegular } from '../runtime'
import { systemError } from './error-reason'
import { joinChunks, readBlocks } from './input'

/** Reads a regular file, never a pipe or a device. */
export const readRegular: ReadRegular = async (path, { limit, signal, within }) => {
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer.
  const file = await promises.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw systemError('EISDIR')
    if (!stats.isFile()) throw systemError('ENOTREGULAR')
    if (within !== undefined && (await leavesFolder(path, within)))
      throw systemError('ELEAVESFOLDER')
    const bytes = await joinChunks(readBlocks(file.fd, signal, stats.size), limit)
    signal.throwIfAborted()
    return { bytes, size: stats.size }
  } finally {
    await file.close()
  }
}

/** Whether `path` as written lies in the folder, but its real path lies outside. */
const leavesFolder = async (path: string, folder: string): Promise<boolean> =>
  isBelow(resolve(folder), resolve(path)) &&
  !isBelow(await promises.realpath(folder), await promises.realpath(path))

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
