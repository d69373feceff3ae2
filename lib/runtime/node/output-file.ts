import { hash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { OutputFile, Replacement } from '../runtime'
import { acquireLock, type ReleaseLock } from './lock'
import { findRealPath, newFileMode, openPipe } from './output-path'

/**
 * Opens a file to append lines to, and creates it if necessary. Rejects if another process has it open, also through a
 * symbolic link. Pipes and devices are not locked, and their size is 0; a pipe without a reader rejects with `ENXIO`.
 */
export const openOutputFile = async (path: string): Promise<OutputFile> => {
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) {
    const handle = stats.isFIFO() ? await openPipe(path) : await open(path, appendFlags)
    return createOutputFile(handle, path, 0, async () => undefined)
  }
  return withLock(path, async (target, release) => {
    const handle = await open(target, appendFlags, newFileMode)
    return createOutputFile(handle, target, (await handle.stat()).size, release)
  })
}

/**
 * Starts a new file that takes the place of the one at `path`, if there is one, only when it is committed. A pipe or a
 * device is written to directly.
 */
export const openReplacement = async (path: string): Promise<Replacement> => {
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) {
    const file = await openOutputFile(path)
    return { append: file.append, commit: async () => file, discard: file.close }
  }
  return withLock(path, async (target, release) => {
    const replacement = await startReplacement(target, stats?.mode, release)
    const discard = async (): Promise<void> => {
      await replacement.discard()
      await release()
    }
    return { ...replacement, discard }
  })
}

const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

/**
 * Locks the file at `path`, removes the new files that killed runs have left beside it, and opens it with `openFile`. Unlocks
 * it again if that fails.
 */
const withLock = async <A>(
  path: string,
  openFile: (target: string, release: ReleaseLock) => Promise<A>,
): Promise<A> => {
  const target = await findRealPath(path)
  const release = await acquireLock(target)
  try {
    await removeLeftOver(target)
    return await openFile(target, release)
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
  append: createAppend(handle, size),
  truncate: (length) => handle.truncate(length),
  replacement: async () => {
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
 * Creates the file that will replace the one at `path`, in the same folder. A name that exists, even as a link, is never
 * taken. `release` unlocks `path`; the committed file does so when it is closed.
 */
const startReplacement = async (
  path: string,
  mode: number | undefined,
  release: ReleaseLock,
): Promise<Replacement> => {
  const temporary = nameTemporary(path)
  const handle = await open(temporary, appendFlags | constants.O_EXCL, newFileMode)
  const discard = async (): Promise<void> => {
    await handle.close()
    await rm(temporary, { force: true })
  }
  try {
    // Not a mode for `open`, which the umask of the process would narrow.
    if (mode !== undefined) await handle.chmod(mode & 0o777)
  } catch (error) {
    await discard()
    throw error
  }
  return {
    append: createAppend(handle, 0),
    commit: async () => {
      await rename(temporary, path)
      return createOutputFile(handle, path, (await handle.stat()).size, release)
    },
    discard,
  }
}

/** The path of a new file in the same folder. Its name is random, begins alike for one output, and is never too long. */
export const nameTemporary = (path: string): string =>
  join(dirname(path), `${temporaryPrefix(path)}${randomUUID()}.tmp`)

const temporaryPrefix = (path: string): string =>
  `.svc-${hash('sha256', basename(path)).slice(0, 12)}-`

/** Removes the new files for this output that killed runs have left beside it. Call it only while the output is locked. */
const removeLeftOver = async (path: string): Promise<void> => {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names)
    if (name.startsWith(temporaryPrefix(path))) await rm(join(folder, name), { force: true })
}

/** Appends whole lines. Where the disk is full, a partly written line is removed again. */
const createAppend = (handle: FileHandle, size: number) => {
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
