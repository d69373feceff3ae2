import { hash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { OutputFile, Replacement } from '../runtime'
import { acquireLock, type ReleaseLock } from './lock'
import { findRealPath, newFileMode, openPipe } from './output'

const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

/**
 * Opens a file to append lines to, creates it if necessary, and locks it. Rejects if the file is locked already, even if it was locked
 * under another path that links to it. A pipe or device is not locked, and has the size 0. Rejects with `ENXIO` if no program reads a
 * pipe.
 */
export const openOutputFile = async (path: string): Promise<OutputFile> => {
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) {
    const handle = stats.isFIFO() ? await openPipe(path) : await open(path, appendFlags)
    return createOutputFile(handle, path, 0, async () => undefined)
  }
  return withLock(path, async (realPath, release) => {
    const handle = await open(realPath, appendFlags, newFileMode)
    return createOutputFile(handle, realPath, (await handle.stat()).size, release)
  })
}

/**
 * Starts a new file. When it is committed, it gets the path `path` and replaces the file there, if there is one. svc writes to a pipe
 * or a device directly, without a new file.
 */
export const openReplacement = async (path: string): Promise<Replacement> => {
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) {
    const file = await openOutputFile(path)
    return { append: file.append, commit: async () => file, discard: file.close }
  }
  return withLock(path, async (realPath, release) => {
    const replacement = await startReplacement(realPath, stats?.mode, release)
    const discard = async (): Promise<void> => {
      await replacement.discard()
      await release()
    }
    return { ...replacement, discard }
  })
}

/** Locks the file at `path`, removes its temporary files of killed runs, and calls `openFile`. Unlocks the file if one of these fails. */
const withLock = async <A>(
  path: string,
  openFile: (realPath: string, release: ReleaseLock) => Promise<A>,
): Promise<A> => {
  const realPath = await findRealPath(path)
  const release = await acquireLock(realPath)
  try {
    await removeTemporaryFiles(realPath)
    return await openFile(realPath, release)
  } catch (error) {
    await release()
    throw error
  }
}

const createOutputFile = (
  handle: FileHandle,
  path: string,
  size: number,
  release: ReleaseLock,
): OutputFile => ({
  size,
  append: createAppendLines(handle, size),
  truncate: (length) => handle.truncate(length),
  startReplacement: async () => {
    const replacement = await startReplacement(path, (await handle.stat()).mode, release)
    const commit = async (): Promise<OutputFile> => {
      const file = await replacement.commit()
      await handle.close()
      return file
    }
    return { ...replacement, commit }
  },
  close: async () => {
    await handle.close()
    await release()
  },
})

/**
 * Creates the file that will replace the one at `path`, in the same folder. Never opens a file or a link that exists. A committed file
 * calls `release` when it is closed. `discard` does not call it, because the caller still holds the lock.
 */
const startReplacement = async (
  path: string,
  mode: number | undefined,
  release: ReleaseLock,
): Promise<Replacement> => {
  const temporaryPath = createTemporaryPath(path)
  const handle = await open(temporaryPath, appendFlags | constants.O_EXCL, newFileMode)
  const discard = async (): Promise<void> => {
    await handle.close()
    await rm(temporaryPath, { force: true })
  }
  try {
    // `chmod` sets the mode of the old file. If `open` got that mode, the umask of the process would narrow it.
    if (mode !== undefined) await handle.chmod(mode & 0o777)
  } catch (error) {
    await discard()
    throw error
  }
  return {
    append: createAppendLines(handle, 0),
    commit: async () => {
      await rename(temporaryPath, path)
      return createOutputFile(handle, path, (await handle.stat()).size, release)
    },
    discard,
  }
}

/**
 * Returns a new path for a temporary file in the folder of `path`. The names for one `path` share a prefix. It has a hash of the file's
 * name, because the name itself might be too long for the file system.
 */
export const createTemporaryPath = (path: string): string =>
  join(dirname(path), `${temporaryPrefix(path)}${randomUUID()}.tmp`)

const temporaryPrefix = (path: string): string =>
  `.svc-${hash('sha256', basename(path)).slice(0, 12)}-`

/** Removes the temporary files that killed runs left for the file at `path`. Call it only while that file is locked. */
const removeTemporaryFiles = async (path: string): Promise<void> => {
  const folder = dirname(path)
  const prefix = temporaryPrefix(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(prefix)) await rm(join(folder, name), { force: true })
}

/** Creates a function that appends whole lines to a file of `size` bytes. If a write fails, it removes the part that was written. */
const createAppendLines = (handle: FileHandle, size: number) => {
  let sizeOfWholeLines = size
  return async (lines: Uint8Array): Promise<void> => {
    try {
      let offset = 0
      while (offset < lines.length) offset += (await handle.write(lines, offset)).bytesWritten
      sizeOfWholeLines += lines.length
    } catch (error) {
      // If truncating fails too, the file ends with a part of a line, which a resumed run removes.
      await handle.truncate(sizeOfWholeLines).catch(() => undefined)
      throw error
    }
  }
}
