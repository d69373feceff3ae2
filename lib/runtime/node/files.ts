import { closeSync, constants, openSync, promises, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Files } from '../runtime'
import { readPath, readPathChunks, readRegular } from './input'
import { findRealPath, findTarget, openPipe } from './output'

/** Loads the functions that lock and replace files. They need `node:crypto`, which most runs don't. */
const loadOutputFile = () => import('./output-file')

/**
 * Pipes and devices that `checkWritable` opened. They stay open until the program ends, because the reader of a pipe would take
 * closing it for the end of the data.
 */
const checkedDevices: FileHandle[] = []

/** Appends to a file, a device or a named pipe. Rejects with `ENXIO` if no program reads the pipe. */
const appendToPath = async (path: string, data: string | Uint8Array): Promise<void> => {
  const stats = await promises.stat(path).catch(() => undefined)
  if (!stats?.isFIFO()) return promises.appendFile(path, data)
  const pipe = await openPipe(path)
  try {
    await pipe.appendFile(data)
  } finally {
    await pipe.close()
  }
}

/** The files of this machine. */
export const nodeFiles: Files = {
  read: readPath,
  readRegular,
  size: async (path) => {
    const stats = await promises.stat(path)
    return stats.isFile() ? stats.size : undefined
  },
  chunks: readPathChunks,
  readPart: async (path, start, length) => {
    // These calls are synchronous, since asynchronous calls would double the time of a run that reuses many answers.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(length)
      return buffer.subarray(0, readSync(fd, buffer, 0, length, start))
    } finally {
      closeSync(fd)
    }
  },
  list: async (folder) => {
    const entries = await promises.readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .sort()
  },
  makeFolder: async (path) => {
    await promises.mkdir(path, { recursive: true })
  },
  create: async (path, data, mode) => {
    const { refuseReservedName } = await loadOutputFile()
    refuseReservedName(path)
    const file = await promises.open(path, 'wx', mode)
    try {
      await file.writeFile(data)
      await file.close()
    } catch (error) {
      // A partly written file would make the next attempt fail with EEXIST.
      await file.close()
      await promises.rm(path, { force: true })
      throw error
    }
  },
  replace: async (path, data) => {
    const { refuseReservedName, refuseLockedFile, replaceFile } = await loadOutputFile()
    refuseReservedName(path)
    const target = await findTarget(path)
    if (target.kind === 'device') return appendToPath(path, data)
    await refuseLockedFile(path)
    await replaceFile(target.path, data, target.mode)
  },
  append: appendToPath,
  checkWritable: async (path) => {
    const { checkFolderWritable, refuseReservedName, refuseLockedFile } = await loadOutputFile()
    refuseReservedName(path)
    const target = await findTarget(path)
    if (target.kind === 'device') {
      // Without `O_NONBLOCK`, opening a named pipe would wait for a reader.
      checkedDevices.push(await promises.open(path, constants.O_WRONLY | constants.O_NONBLOCK))
      return
    }
    await refuseLockedFile(path)
    await checkFolderWritable(target.path)
  },
  // The two octal digits are the permissions of the file's group, and of all other users.
  isReadableByOthers: (path) => hasModeBits(path, 0o044),
  isWritableByOthers: (path) => hasModeBits(path, 0o022),
  realPath: findRealPath,
  saveTemporary: async (name, data) => {
    const { tmpdir } = process.getBuiltinModule('node:os')
    const folder = await promises.mkdtemp(join(tmpdir(), 'svc-'))
    try {
      await promises.writeFile(join(folder, name), data, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      await promises.rm(folder, { recursive: true, force: true })
      throw error
    }
    return join(folder, name)
  },
  lock: async (path) => {
    const { lockFile } = await loadOutputFile()
    return lockFile(path)
  },
  openOutput: async (path, newMode) => {
    const { openOutputFile } = await loadOutputFile()
    return openOutputFile(path, newMode)
  },
  openReplacement: async (path) => {
    const { openReplacement } = await loadOutputFile()
    return openReplacement(path)
  },
}

/** Resolves to `true` if the file's mode has at least one of these bits, and always to `false` on Windows, which has no such modes. */
const hasModeBits = async (path: string, bits: number): Promise<boolean> => {
  if (process.platform === 'win32') return false
  const stats = await promises.stat(path)
  return (stats.mode & bits) !== 0
}
