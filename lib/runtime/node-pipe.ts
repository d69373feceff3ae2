import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Opens a named pipe to write to it. One without a reader fails with `ENXIO`, where opening it would otherwise wait
 * forever. Writes wait for their reader.
 */
export const openPipe = async (path: string): Promise<FileHandle> => {
  const first = await open(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    return await open(path, constants.O_WRONLY)
  } finally {
    await first.close()
  }
}
