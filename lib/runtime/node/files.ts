import { closeSync, constants, openSync, promises, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Files } from '../runtime'
import { readPath, readPathChunks } from './input'
import { findRealPath, findTarget, newFileMode, openPipe } from './output-path'
import { readRegular } from './regular-file'

/** Loads the functions that lock files and name temporary ones. They need `node:crypto`, which most runs do without. */
const loadOutput = () => import('./output-file')

/** The files of this machine. */
export const nodeFiles: Files = {
  read: readPath,
  size: async (path) => {
    const stats = await promises.stat(path)
    return stats.isFile() ? stats.size : undefined
  },
  chunks: readPathChunks,
  readPart: async (path, start, length) => {
    // Calls that wait for a thread would double the time of a run that reuses many answers.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(length)
      return buffer.subarray(0, readSync(fd, buffer, 0, length, start))
    } finally {
      closeSync(fd)
    }
  },
  list: async (folder) =>
    (await promises.readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .sort(),
  makeFolder: async (path) => {
    await promises.mkdir(path, { recursive: true })
  },
  create: async (path, data, mode) => {
    const file = await promises.open(path, 'wx', mode)
    try {
      await file.writeFile(data)
    } catch (error) {
      // A partly written file would make the next attempt fail with EEXIST.
      await promises.rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
  },
  append: (path, data) => append(path, data),
  openOutput: async (...args) => (await loadOutput()).openOutputFile(...args),
  openReplacement: async (...args) => (await loadOutput()).openReplacement(...args),
  readRegular,
  isReadableByOthers: (path) => checkOthersMay(path, 0o044),
  isWritableByOthers: (path) => checkOthersMay(path, 0o022),
  realPath: findRealPath,
  saveTemporary: async (name, data) => {
    const folder = await promises.mkdtemp(
      join(process.getBuiltinModule('node:os').tmpdir(), 'svc-'),
    )
    try {
      await promises.writeFile(join(folder, name), data, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      await promises.rm(folder, { recursive: true, force: true })
      throw error
    }
    return join(folder, name)
  },
  replace: async (path, data) => {
    const target = await findTarget(path)
    if (target.kind === 'device') return append(path, data)
    const { nameTemporary } = await loadOutput()
    const temporary = nameTemporary(target.path)
    try {
      const file = await promises.open(temporary, 'wx', newFileMode)
      try {
        if (target.mode !== undefined) await file.chmod(target.mode)
        await file.writeFile(data)
      } finally {
        await file.close()
      }
      await promises.rename(temporary, target.path)
    } catch (error) {
      await promises.rm(temporary, { force: true })
      throw error
    }
  },
  checkWritable: async (path) => {
    const target = await findTarget(path)
    if (target.kind === 'device') {
      held.push(await promises.open(path, constants.O_WRONLY | constants.O_NONBLOCK))
      return
    }
    const { nameTemporary } = await loadOutput()
    const temporary = nameTemporary(target.path)
    await (await promises.open(temporary, 'wx', newFileMode)).close()
    await promises.rm(temporary, { force: true })
  },
}

/**
 * Named pipes and devices that will be written later. They stay open until the program ends, because the reader
 * of a pipe would take closing it for the end of the data.
 */
const held: FileHandle[] = []

/** Appends to a file, a device or a named pipe. A pipe without a reader fails with `ENXIO`. */
const append = async (path: string, data: string | Uint8Array): Promise<void> => {
  const stats = await promises.stat(path).catch(() => undefined)
  if (!stats?.isFIFO()) return promises.appendFile(path, data)
  const pipe = await openPipe(path)
  try {
    await pipe.appendFile(data)
  } finally {
    await pipe.close()
  }
}

const checkOthersMay = async (path: string, bits: number): Promise<boolean> =>
  process.platform !== 'win32' && ((await promises.stat(path)).mode & bits) !== 0
