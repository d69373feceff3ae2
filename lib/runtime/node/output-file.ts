import { hash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { OutputFile, Replacement } from '../runtime'
import { codeOf, systemError } from './error-reason'
import { lock, type Release } from './lock'
import { openPipe } from './safe-open'

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
      if (!stats.isFile()) return createOutputFile(handle, path, 0, async () => undefined)
      const release = await lock(`${stats.dev}-${stats.ino}`)
      if (release === undefined) throw systemError('ELOCKED')
      const there = await stat(path)
      if (there.dev === stats.dev && there.ino === stats.ino) {
        const real = await realpath(path)
        await removeLeftOver(real)
        return createOutputFile(handle, real, (await handle.stat()).size, release)
      }
      // Another run has replaced the file in the meantime.
      await release()
      await handle.close()
    } catch (error) {
      await handle.close()
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

/**
 * Starts a new file that takes the place of the one at `path`, if there is one, only when it is committed. A pipe or a
 * device is written to directly.
 */
export const openReplacement = async (path: string): Promise<Replacement> => {
  const given = await stat(path).catch(() => undefined)
  if (given === undefined) return startReplacement(path, undefined)
  if (given.isFile()) return startReplacement(await realpath(path), given.mode & 0o777)
  const file = await openOutput(path)
  return { append: file.append, commit: async () => file, discard: file.close }
}

const append = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

const createOutputFile = (
  handle: FileHandle,
  path: string,
  size: number,
  release: Release,
): OutputFile => ({
  size,
  append: createAppend(handle, size),
  truncate: (length) => handle.truncate(length),
  replacement: async () => startReplacement(path, (await handle.stat()).mode & 0o777),
  close: async () => {
    await handle.close()
    await release()
  },
})

/**
 * Creates the file that is to replace the one at `path`, in the same folder. It is locked before it is renamed, so
 * that no other process gets hold of it. A name that exists, even as a link, is never taken.
 */
const startReplacement = async (path: string, mode: number | undefined): Promise<Replacement> => {
  await removeLeftOver(path)
  const temporary = nameTemporary(path)
  const handle = await open(temporary, append | constants.O_EXCL, mode ?? 0o644)
  try {
    // The mode given to `open` is narrowed by the process's own mask.
    if (mode !== undefined) await handle.chmod(mode)
    const { dev, ino } = await handle.stat()
    const release = await lock(`${dev}-${ino}`)
    if (release === undefined) throw systemError('ELOCKED')
    return {
      append: createAppend(handle, 0),
      commit: async () => {
        await rename(temporary, path)
        return createOutputFile(handle, path, (await handle.stat()).size, release)
      },
      discard: async () => {
        await handle.close()
        await release()
        await rm(temporary, { force: true })
      },
    }
  } catch (error) {
    await handle.close()
    await rm(temporary, { force: true })
    throw error
  }
}

/** The path of a new file in the same folder. Its name is random, begins alike for one output, and is never too long. */
export const nameTemporary = (path: string): string =>
  join(dirname(path), `${temporaryPrefix(path)}${randomUUID()}.tmp`)

const temporaryPrefix = (path: string): string =>
  `.svc-${hash('sha256', basename(path)).slice(0, 12)}-`

/** Removes the new files for this output that killed runs have left beside it. Those of living runs are locked. */
const removeLeftOver = async (path: string): Promise<void> => {
  const folder = dirname(path)
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(temporaryPrefix(path)))) {
    const file = join(folder, name)
    const stats = await stat(file).catch(() => undefined)
    const release = stats && (await lock(`${stats.dev}-${stats.ino}`))
    if (release === undefined) continue
    await rm(file, { force: true })
    await release()
  }
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
