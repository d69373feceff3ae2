import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises'
import type { OutputFile } from '../runtime'
import { codeOf, systemError } from './error-reason'
import { lock } from './lock'
import { openPipe } from './pipe'

/**
 * Opens a file to append lines to, and creates it if necessary. The file is locked: while this process has it
 * open, other processes that open it, also through a link, fail with `ELOCKED`. Pipes and devices are not
 * locked, and their size is 0; a pipe without a reader fails with `ENXIO`.
 */
export const openOutput = async (path: string): Promise<OutputFile> => {
  for (;;) {
    const given = await stat(path).catch(() => undefined)
    const handle = given?.isFIFO() ? await openPipe(path) : await open(path, append, 0o644)
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) return output(handle, path, 0, async () => undefined)
      const release = await lock(`${stats.dev}-${stats.ino}`)
      if (release === undefined) throw systemError('ELOCKED')
      const there = await stat(path)
      if (there.dev === stats.dev && there.ino === stats.ino)
        return output(handle, await realpath(path), (await handle.stat()).size, release)
      // Another run has replaced the file in the meantime.
      await release()
      await handle.close()
    } catch (error) {
      await handle.close()
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

const append = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

const output = (
  handle: FileHandle,
  path: string,
  size: number,
  release: () => Promise<void>,
): OutputFile => ({
  size,
  append: appender(handle, size),
  truncate: (length) => handle.truncate(length),
  unfinished: async () => {
    const stats = await lstat(beside(path)).catch(() => undefined)
    return stats?.isFile() ? beside(path) : undefined
  },
  redo: async (keep = 0) => {
    const temporary = beside(path)
    const { mode } = await handle.stat()
    const again = await openBeside(temporary, mode & 0o777)
    await again.truncate(keep)
    return {
      append: appender(again, keep),
      commit: async () => {
        await again.close()
        await rename(temporary, path)
      },
      discard: async () => {
        await again.close()
        await rm(temporary, { force: true })
      },
      leave: () => again.close(),
    }
  },
  close: async () => {
    await handle.close()
    await release()
  },
})

const beside = (path: string): string => `${path}.retry`

/**
 * Opens the new file beside an output. Only a regular file is taken: somebody may have put a link in its place, to
 * have another file overwritten.
 */
const openBeside = async (path: string, mode: number): Promise<FileHandle> => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) throw new Error(`${path} is not a regular file`)
  return open(path, append | constants.O_NOFOLLOW, mode)
}

/** Appends whole lines. Where the disk is full, a partly written line is removed again. */
const appender = (handle: FileHandle, size: number) => {
  let whole = size
  return async (lines: Uint8Array): Promise<void> => {
    try {
      let at = 0
      while (at < lines.length) at += (await handle.write(lines, at)).bytesWritten
      whole += lines.length
    } catch (error) {
      // Where truncating fails too, a torn line is left, which a resumed run drops.
      await handle.truncate(whole).catch(() => undefined)
      throw error
    }
  }
}
