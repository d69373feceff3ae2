import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { describePathFault } from '../scenario-paths'

/**
 * Returns a path that a command was given as a recorded command has it: relative to the working folder, with `/`. A relative path without
 * `..` stays as typed. Throws if the path is not below the working folder, because a scenario runs in a folder of its own.
 */
export const toRecordedPath = (path: string): string => {
  const isPlain = !isAbsolute(path) && !path.split(/[/\\]/).includes('..')
  const relativePath = isPlain ? path : relativeToWorkingFolder(path)
  // On Linux a backslash is a letter of a name.
  const recorded = sep === '\\' ? relativePath.replaceAll('\\', '/') : relativePath
  if (describePathFault(recorded) !== undefined)
    throw new Error(`${path} is not below the working folder`)
  return recorded
}

/** Returns the path relative to the working folder. The path may name that folder with its links, or without. */
const relativeToWorkingFolder = (path: string): string => {
  const cwd = process.cwd()
  const absolutePath = resolve(path)
  const candidates = [relative(cwd, absolutePath), relative(realpathSync(cwd), absolutePath)]
  // The shell's name of the working folder may have a link, which `process.cwd` has resolved.
  const shellFolder = process.env.PWD
  if (shellFolder !== undefined && isSameFolder(shellFolder, cwd))
    candidates.push(relative(shellFolder, absolutePath))
  const [found = path] = candidates.filter((name) => describePathFault(name) === undefined)
  return found
}

const isSameFolder = (a: string, b: string): boolean => {
  try {
    return realpathSync(a) === realpathSync(b)
  } catch {
    return false
  }
}
