import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Leftover, LockedFile, OutputFile, Replacement } from '../runtime'
import { createSystemError } from './error-reason'
import { acquireLock, checkUnlocked, type HeldLock } from './lock'
import { findRealPath, findTarget, newFileMode, openPipe } from './output'
import {
  createTemporaryFile,
  flushToDisk,
  listTemporaryFiles,
  refuseReservedName,
  removeFile,
  renameFile,
  replaceFile,
  type TemporaryFile,
} from './replace-file'
import { isSameFile } from './same-file'

export { checkFolderWritable, refuseReservedName, replaceFile } from './replace-file'

/** A file with this flag is never written but at its end. Windows does not let such a handle truncate the file. */
const appendFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

/** A file that this process has locked. */
interface OutputPlace {
  readonly realPath: string
  readonly lock: HeldLock
}

/** Locks the file at `path`. Rejects if it is locked already, even if it was locked under another path that links to it. */
export const lockFile = async (path: string): Promise<LockedFile> => {
  const { realPath, lock } = await lockPlace(path)
  return {
    replace: async (data) => {
      await lock.check()
      const target = await findTarget(realPath)
      if (target.kind === 'device') throw createSystemError('ENOTREGULAR')
      await replaceFile(realPath, data, target.mode)
    },
    release: lock.release,
  }
}

/** Rejects if a process has locked the file at `path`, or may have locked it. */
export const refuseLockedFile = async (path: string): Promise<void> => {
  await checkUnlocked(await findRealPath(path))
}

/**
 * Opens a file to append lines to, creates it with the mode `newMode` if necessary, and locks it. A pipe or device is not locked, and has the size 0. Rejects with
 * `ENXIO` if no program reads a pipe.
 */
export const openOutputFile = async (path: string, newMode = newFileMode): Promise<OutputFile> => {
  refuseReservedName(path)
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) return openDevice(path, stats.isFIFO())
  const place = await lockPlace(path)
  try {
    const handle = await open(place.realPath, appendFlags, newMode)
    return createOutputFile(handle, place, (await handle.stat()).size, await listLeftovers(place))
  } catch (error) {
    await place.lock.release()
    throw error
  }
}

/**
 * Starts a new file. When it is committed, it gets the path `path` and replaces the file there, if there is one. svc writes to a pipe
 * or a device directly, without a new file.
 */
export const openReplacement = async (path: string): Promise<Replacement> => {
  refuseReservedName(path)
  const stats = await stat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) {
    const device = await openDevice(path, stats.isFIFO())
    const { append, close } = device
    return { path, append, commit: async () => device, keep: close, discard: close }
  }
  const place = await lockPlace(path)
  try {
    const temporary = await createTemporaryFile(place.realPath, stats?.mode)
    const replacement = createReplacement(temporary, place, async () => undefined)
    const release = (close: () => Promise<void>) => async () => {
      await close()
      await place.lock.release()
    }
    return {
      ...replacement,
      keep: release(replacement.keep),
      discard: release(replacement.discard),
    }
  } catch (error) {
    await place.lock.release()
    throw error
  }
}

/** Locks the file at `path`, and removes its temporary files of killed processes. */
const lockPlace = async (path: string): Promise<OutputPlace> => {
  refuseReservedName(path)
  const realPath = await findRealPath(path)
  const lock = await acquireLock(realPath)
  try {
    for (const name of await listTemporaryFiles(realPath, '.tmp'))
      await removeFile(join(dirname(realPath), name))
    return { realPath, lock }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const openDevice = async (path: string, isPipe: boolean): Promise<OutputFile> => {
  const handle = isPipe ? await openPipe(path) : await open(path, appendFlags)
  return {
    size: 0,
    leftovers: [],
    append: (bytes) => writeBytes(handle, bytes),
    truncate: async () => undefined,
    startReplacement: () => Promise.reject(createSystemError('ENOTREGULAR')),
    close: () => handle.close(),
  }
}

const createOutputFile = (
  handle: FileHandle,
  place: OutputPlace,
  size: number,
  leftovers: ReadonlyArray<Leftover> = [],
): OutputFile => {
  const { realPath, lock } = place
  return {
    size,
    leftovers,
    append: createAppendLines(handle, realPath, lock, size),
    truncate: (length) => truncateFile(handle, realPath, length),
    startReplacement: async () => {
      const { mode } = await handle.stat()
      const temporary = await createTemporaryFile(realPath, mode, '.jsonl')
      return createReplacement(temporary, place, () => handle.close())
    },
    close: async () => {
      await handle.close()
      await lock.release()
    },
  }
}

/** `closeOldFile` is called before the new file replaces it: Windows does not replace a file that is open. */
const createReplacement = (
  { path, handle }: TemporaryFile,
  place: OutputPlace,
  closeOldFile: () => Promise<void>,
): Replacement => {
  const { realPath, lock } = place
  return {
    path,
    append: createAppendLines(handle, path, lock, 0),
    commit: async () => {
      await flushToDisk(handle)
      await lock.check()
      await closeOldFile()
      await renameFile(path, realPath)
      return createOutputFile(handle, place, (await handle.stat()).size)
    },
    keep: () => handle.close(),
    discard: async () => {
      await handle.close()
      await removeFile(path)
    },
  }
}

/** Lists the files with records that earlier runs left beside an output. */
const listLeftovers = async ({ realPath }: OutputPlace): Promise<ReadonlyArray<Leftover>> => {
  const names = await listTemporaryFiles(realPath, '.jsonl')
  const paths = names.map((name) => join(dirname(realPath), name))
  return paths.map((path) => ({ path, remove: () => removeFile(path) }))
}

/**
 * Creates a function that appends whole lines to a file of `size` bytes at `path`. If a write fails, it removes the part that was
 * written.
 */
const createAppendLines = (handle: FileHandle, path: string, lock: HeldLock, size: number) => {
  let sizeOfWholeLines = size
  return async (lines: Uint8Array): Promise<void> => {
    await lock.check()
    try {
      await writeBytes(handle, lines)
      sizeOfWholeLines += lines.length
    } catch (error) {
      // If truncating fails too, the file ends with a part of a line, which a resumed run removes.
      await truncateFile(handle, path, sizeOfWholeLines).catch(() => undefined)
      throw error
    }
  }
}

const writeBytes = async (handle: FileHandle, bytes: Uint8Array): Promise<void> => {
  let offset = 0
  while (offset < bytes.length) offset += (await handle.write(bytes, offset)).bytesWritten
}

/**
 * Truncates the file of `handle`, which is at `path`, if it is longer: a program that rotates logs may have emptied it. Opens it a second time, because Windows truncates no file through a handle for
 * appending. Rejects with `ESTALE` if another file has been put at the path.
 */
const truncateFile = async (handle: FileHandle, path: string, length: number): Promise<void> => {
  const writable = await open(path, constants.O_WRONLY)
  try {
    if (!(await isSameFile(handle, writable))) throw createSystemError('ESTALE')
    const { size } = await writable.stat()
    if (size > length) await writable.truncate(length)
  } finally {
    await writable.close()
  }
}
