import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../runtime/node/error-reason'

// These functions change files below a root folder, and never follow a link below it, not even one that another program puts there
// meanwhile. On Linux they hold each folder on the way open, and reach its content through the open folder. Node has no such functions
// elsewhere, so there they look at each folder just before they use it. A path has `/` between names.

/** Thrown if a folder or a file below the root is a link. The message names it. */
export class LinkError extends Error {}

/** Runs work on a folder below the root. `work` gets a path of that folder which is valid until it returns. It must be synchronous. */
const inFolder = <A>(
  root: string,
  names: ReadonlyArray<string>,
  makesFolders: boolean,
  work: (folder: string) => A,
): A => {
  if (makesFolders) makeOneFolder(root, true)
  let folder = openFolder(root)
  try {
    let shownPath = root
    for (const name of names) {
      shownPath = join(shownPath, name)
      const path = join(folder.path, name)
      if (makesFolders) makeOneFolder(path)
      refuseLink(path, shownPath)
      // A link that replaces the folder now is not followed: opening it fails.
      const next = openFolder(path, constants.O_NOFOLLOW)
      folder.close()
      folder = next
    }
    return work(folder.path)
  } finally {
    folder.close()
  }
}

/** Makes a folder, unless there is one. Does nothing if there is a file: opening the folder then fails. */
const makeOneFolder = (path: string, recursive = false): void => {
  try {
    mkdirSync(path, { recursive })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** A folder that is held open, if the platform allows that. */
interface OpenFolder {
  /** A path that leads to the folder even if it is renamed or replaced. */
  readonly path: string
  readonly close: () => void
}

/** The folder in which Linux shows the open files of this process; `undefined` on other platforms. */
const descriptorFolder =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined

/** Opens a folder. With the flag `O_NOFOLLOW` it throws if the path is a link. */
const openFolder = (path: string, flags = 0): OpenFolder => {
  if (descriptorFolder === undefined) return { path, close: () => undefined }
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | flags)
  return { path: `${descriptorFolder}/${fd}`, close: () => closeSync(fd) }
}

/** Throws a `LinkError` if a file is a link. `shownPath` is its path in the message. */
const refuseLink = (path: string, shownPath: string): void => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new LinkError(`${shownPath} is a link`)
}

/** Splits a path into its folders and its last name. */
const splitPath = (
  path: string,
): { readonly folders: ReadonlyArray<string>; readonly name: string } => {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.includes('..')) throw new LinkError(`${path} leads out of the folder`)
  return { folders: names.slice(0, -1), name: names.at(-1) ?? '.' }
}

/** Throws a `LinkError` if a folder on the way to `path`, or `path` itself, is a link. A missing file or folder is none. */
export const checkNoLink = (root: string, path: string): void => {
  let current = root
  for (const name of path.split('/')) {
    current = join(current, name)
    refuseLink(current, current)
  }
}

/** Makes a folder below the root, and the folders on the way to it, unless they exist. */
export const makeLinkFreeFolder = (root: string, path: string): void =>
  inFolder(root, path.split('/'), true, () => undefined)

/**
 * Makes a folder with a number that no other folder in `path` has. `findNumber` gets the names in `path`, and returns the last number
 * that is taken. `nameFolder` names the folder of a number, which must begin with the number and a hyphen. Returns the name. Programs
 * that call this at the same time get different numbers.
 */
export const claimFolder = (
  root: string,
  path: string,
  findLastNumber: (names: ReadonlyArray<string>) => number,
  nameFolder: (digits: string) => string,
): string =>
  inFolder(root, path.split('/'), true, (folder) => {
    for (let number = findLastNumber(readdirSync(folder)) + 1; ; number++) {
      const digits = String(number).padStart(3, '0')
      try {
        // Only one program can make this folder.
        mkdirSync(join(folder, digits))
      } catch (error) {
        if (codeOf(error) === 'EEXIST') continue
        throw error
      }
      // Another program may have renamed its folder before this one was made.
      if (readdirSync(folder).some((name) => name.startsWith(`${digits}-`))) {
        rmdirSync(join(folder, digits))
        continue
      }
      renameSync(join(folder, digits), join(folder, nameFolder(digits)))
      return nameFolder(digits)
    }
  })

const writeToDescriptor = promisify(writeFile)

/**
 * Writes a new file, and makes its folders. Rejects with `EEXIST` if there is a file or a link of this name. Leaves no file if it fails.
 */
export const createLinkFreeFile = async (
  root: string,
  path: string,
  data: string | Uint8Array,
): Promise<void> => {
  const { folders, name } = splitPath(path)
  const fd = inFolder(root, folders, true, (folder) => openSync(join(folder, name), 'wx', 0o644))
  try {
    await writeToDescriptor(fd, data)
  } catch (error) {
    inFolder(root, folders, false, (folder) => unlinkSync(join(folder, name)))
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Replaces a file in one step, or makes a new one and its folders. */
export const replaceLinkFreeFile = (
  root: string,
  path: string,
  data: string | Uint8Array,
): void => {
  const { folders, name } = splitPath(path)
  inFolder(root, folders, true, (folder) => {
    refuseLink(join(folder, name), join(root, path))
    const temporaryPath = join(folder, `.${randomBytes(6).toString('hex')}.tmp`)
    try {
      writeFileSync(temporaryPath, data, { flag: 'wx', mode: 0o644 })
      // A rename replaces a link, and does not follow it.
      renameSync(temporaryPath, join(folder, name))
    } catch (error) {
      tryRun(() => unlinkSync(temporaryPath))
      throw error
    }
  })
}

/** Removes a file or a link. Then removes the folders above it that are empty, except the first one below the root. */
export const removeLinkFreeFile = (root: string, path: string): void => {
  const { folders, name } = splitPath(path)
  inFolder(root, folders, false, (folder) => unlinkSync(join(folder, name)))
  for (let depth = folders.length - 1; depth > 0; depth--) {
    const emptied = folders[depth] ?? '.'
    const isRemoved = inFolder(root, folders.slice(0, depth), false, (folder) =>
      tryRun(() => rmdirSync(join(folder, emptied))),
    )
    if (!isRemoved) return
  }
}

/** Removes a folder below the root, with these files, whose paths are relative to it. */
export const removeLinkFreeFolder = (
  root: string,
  path: string,
  files: ReadonlyArray<string>,
): void => {
  for (const file of files) removeLinkFreeFile(root, `${path}/${file}`)
  const { folders, name } = splitPath(path)
  tryRun(() => inFolder(root, folders, false, (folder) => rmdirSync(join(folder, name))))
}

/** Runs an operation. Returns `false` if it throws, for example because a folder is not empty. */
const tryRun = (operation: () => void): boolean => {
  try {
    operation()
    return true
  } catch {
    return false
  }
}
