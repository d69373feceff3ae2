import { constants } from 'node:fs'
import {
  access,
  appendFile,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pathChunks } from './node-chunks'
import { readPath } from './node-input'
import { openOutput } from './node-output-file'
import { codeOf, systemError } from './reason'
import type { Files } from './runtime'

/** Files of this machine. */
export const nodeFiles: Files = {
  read: readPath,
  chunks: pathChunks,
  list: async (folder) =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
      .sort(),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true })
  },
  create: async (path, data, mode) => {
    const file = await open(path, 'wx', mode)
    try {
      await file.writeFile(data)
    } finally {
      await file.close()
    }
  },
  append: (path, data) => appendFile(path, data),
  openOutput,
  replace: async (path, data) => {
    const target = await targetOf(path)
    if (target.kind === 'device') return appendFile(path, data)
    const temporary = temporaryBeside(target.path)
    try {
      const file = await open(temporary, 'wx', newFileMode)
      try {
        if (target.mode !== undefined) await file.chmod(target.mode)
        await file.writeFile(data)
      } finally {
        await file.close()
      }
      await rename(temporary, target.path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  },
  checkWritable: async (path) => {
    const target = await targetOf(path)
    if (target.kind === 'device') return access(path, constants.W_OK)
    const temporary = temporaryBeside(target.path)
    await (await open(temporary, 'wx', newFileMode)).close()
    await rm(temporary, { force: true })
  },
}

/** Where a write to `path` lands: a link is followed, a device (`/dev/null`) is not replaced. */
const targetOf = async (
  path: string,
): Promise<
  | { readonly kind: 'device' }
  | {
      readonly kind: 'file'
      readonly path: string /** Of the file that is there. */
      readonly mode?: number
    }
> => {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) throw systemError('EISDIR')
    if (!stats.isFile()) return { kind: 'device' }
    await access(path, constants.W_OK)
    return { kind: 'file', path: await realpath(path), mode: stats.mode & 0o777 }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return { kind: 'file', path }
  }
}

const newFileMode = 0o644

/** A name that nothing else in the folder has, however long the file's own is. */
const temporaryBeside = (path: string): string =>
  join(dirname(path), `.svc-${process.pid}-${Math.random().toString(36).slice(2)}.tmp`)
