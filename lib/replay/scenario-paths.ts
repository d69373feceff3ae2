import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'

/**
 * Describes why a path in a scenario could lead out of its folder; `undefined` if it is safe. Paths are checked alike on every platform,
 * because a folder of scenarios may come from another one: `\` separates folders too, and `C:` is a drive.
 */
export const describePathFault = (path: string): string | undefined => {
  if (path === '') return 'is empty'
  if (path.includes('\0')) return 'has a null character'
  if (/^[/\\]/.test(path)) return 'is an absolute path'
  if (/^[A-Za-z]:/.test(path)) return 'begins with a drive letter'
  // Windows ignores blanks and dots after a name, so `.. ` and `...` are unsafe there.
  if (path.split(/[/\\]/).some((name) => /^\.\.[ .]*$/.test(name))) return 'has ".."'
  return undefined
}

/** Returns `true` if `path` is the folder or below it. Both must be absolute and without links. */
export const isInside = (folder: string, path: string): boolean => {
  const relativePath = relative(folder, path)
  return relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath)
}

/** The maximum size of a file of a scenario or a golden: 64 MiB. */
export const maxScenarioFileBytes = 64 << 20

/**
 * Reads a regular file of a folder by its relative path. Throws if the path or a link leads out of the folder, and if the file is larger
 * than 64 MiB. Compares the opened file with the file at the real path, so a link that is swapped meanwhile is noticed.
 */
export const readFileInside = (folder: string, path: string): Buffer => {
  const fault = describePathFault(path)
  if (fault !== undefined) throw new Error(`${JSON.stringify(path)} ${fault}`)
  const file = join(folder, path)
  // Without `O_NONBLOCK`, opening a named pipe would wait for a writer. Windows has no such flag.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const opened = fstatSync(fd)
    if (!opened.isFile()) throw new Error(`${JSON.stringify(path)} is not a regular file`)
    if (opened.size > maxScenarioFileBytes)
      throw new Error(`${JSON.stringify(path)} is larger than 64 MiB`)
    const realPath = realpathSync(file)
    const named = statSync(realPath)
    const isSameFile = named.ino === opened.ino && named.dev === opened.dev
    if (!isInside(realpathSync(folder), realPath) || !isSameFile)
      throw new Error(`${JSON.stringify(path)} is a link that leads out of the folder`)
    return readOpenFile(fd, opened.size)
  } finally {
    closeSync(fd)
  }
}

/** Reads at most `size` bytes of an open file. */
const readOpenFile = (fd: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}
