/** Replaces files in one step: svc writes a temporary file in the same folder, and gives it the name of the file. */
import { hash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../runtime'
import { nodeClock } from './clock'
import { codeOf } from './error-reason'
import { newFileMode } from './output'

/** A temporary file that ends in `.jsonl` has records, which may have been paid for. svc may remove any other at any time. */
type TemporaryEnding = '.tmp' | '.jsonl'

/** A new file beside the one that it will replace. */
export interface TemporaryFile {
  readonly path: string
  /** Open for appending. */
  readonly handle: FileHandle
}

/**
 * Creates a temporary file in the folder of `path`, with the permissions `mode` or else those that the umask allows. Never opens a file or
 * a link that exists.
 */
export const createTemporaryFile = async (
  path: string,
  mode?: number,
  ending: TemporaryEnding = '.tmp',
): Promise<TemporaryFile> => {
  const temporaryPath = join(dirname(path), `${temporaryPrefix(path)}${randomUUID()}${ending}`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_EXCL
  const handle = await open(temporaryPath, flags, newFileMode)
  try {
    // `chmod` sets the mode of the old file. If `open` got that mode, the umask of the process would narrow it.
    if (mode !== undefined) await handle.chmod(mode & 0o777)
  } catch (error) {
    await handle.close()
    await removeFile(temporaryPath)
    throw error
  }
  return { path: temporaryPath, handle }
}

/**
 * The names of the temporary files of one file begin with the same text. It has a hash of the file's name, because the name itself might
 * be too long for the file system.
 */
const temporaryPrefix = (path: string): string =>
  `.svc-${hash('sha256', basename(path)).slice(0, 12)}-`

/**
 * Lists the names of the temporary files with this ending that killed runs left for the file at `path`. Call it only while that file is
 * locked.
 */
export const listTemporaryFiles = async (
  path: string,
  ending: TemporaryEnding,
): Promise<ReadonlyArray<string>> => {
  const prefix = temporaryPrefix(path)
  const names = await readdir(dirname(path)).catch(() => [])
  return names.filter((name) => name.startsWith(prefix) && name.endsWith(ending))
}

/** Removes a file. Does nothing if it does not exist. Tries again for a while if another program, such as a virus scanner, has it open. */
export const removeFile = (path: string): Promise<void> =>
  rm(path, { force: true, maxRetries: 5, retryDelay: 50 })

/** Windows reports these codes while another program, such as a virus scanner or an editor, has one of the files open. */
const busyCodes = new Set(['EPERM', 'EBUSY', 'EACCES'])

const maxBusyMs = 2000
const busyPauseMs = 50

/** Renames a file to the path of another one, which it replaces. Tries again for 2 seconds if another program has one of them open. */
export const renameFile = async (
  from: string,
  to: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'> = nodeClock,
): Promise<void> => {
  const startMs = clock.monotonic()
  for (;;) {
    try {
      return await rename(from, to)
    } catch (error) {
      const isOver = clock.monotonic() - startMs >= maxBusyMs
      if (isOver || !busyCodes.has(codeOf(error) ?? '')) throw error
      await clock.sleep(busyPauseMs)
    }
  }
}

/**
 * Replaces the file at `path`, or creates it, with the permissions `mode` or else those that the umask allows. If that fails, the file is
 * unchanged.
 */
export const replaceFile = async (
  path: string,
  data: string | Uint8Array,
  mode?: number,
): Promise<void> => {
  const temporary = await createTemporaryFile(path, mode)
  try {
    try {
      await temporary.handle.writeFile(data)
      await flushToDisk(temporary.handle)
    } finally {
      await temporary.handle.close()
    }
    await renameFile(temporary.path, path)
  } catch (error) {
    await removeFile(temporary.path)
    throw error
  }
}

/**
 * Waits until the data of a file is on the disk. Otherwise a power cut after the file was renamed could leave an empty file. Some file
 * systems cannot do this; then it does nothing.
 */
export const flushToDisk = async (handle: FileHandle): Promise<void> => {
  await handle.sync().catch((error: unknown) => {
    if (codeOf(error) === 'ENOSPC' || codeOf(error) === 'EIO') throw error
  })
}

/** Rejects if no file can be created in the folder of `path`. */
export const checkFolderWritable = async (path: string): Promise<void> => {
  const { path: temporaryPath, handle } = await createTemporaryFile(path)
  await handle.close()
  await removeFile(temporaryPath)
}

/** The names that Windows has for devices in every folder, with any ending. */
const reservedNamePattern =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?$/i

/** Throws if the path names a device of Windows, such as `NUL` or `con.html`. Other systems have no such names. */
export const refuseReservedName = (
  path: string,
  platform: NodeJS.Platform = process.platform,
): void => {
  const name = path.split(/[\\/:]/).at(-1) ?? ''
  if (platform === 'win32' && reservedNamePattern.test(name))
    throw new Error(`${name} is the name of a device on Windows: choose another name`)
}
