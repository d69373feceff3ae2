import { constants, promises } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

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
