/**
 * The steps before the program starts. `explainOldNode` is called first. It is the only function here that runs in a version of Node that
 * is too old. Such a version must be able to load this file, so the file imports only types. The other functions get modules from
 * `process.getBuiltinModule`, which an old version lacks.
 */
import type { Runtime } from '../runtime'

type Env = Runtime['env']

/**
 * Makes Node cache compiled code in a folder of the user, so that later runs start faster. Does nothing before Node 22.8, which has no
 * such function. Users turn the cache off with the variable `NODE_DISABLE_COMPILE_CACHE`. A program that can write to the folder can run
 * code as the user, so svc caches nothing if the folder is not private. `nodeVersion` has no leading `v`.
 */
export const cacheCompiledCode = (env: Env, nodeVersion: string): void => {
  if (nodeVersion.startsWith('20.')) return
  // The types of Node 20 do not have this function.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: (folder: string) => unknown
  }
  if (enableCompileCache === undefined) return
  const folder = findCacheFolder(env, process.platform)
  if (folder !== undefined && preparePrivateFolder(folder)) enableCompileCache(folder)
}

/** Returns the folder for svc's cached data on this platform, or `undefined` if the environment names no absolute path. */
export const findCacheFolder = (env: Env, platform: NodeJS.Platform): string | undefined => {
  const { isAbsolute, join } = process.getBuiltinModule('node:path')
  const joinHome = (path: string) => (env.HOME ? join(env.HOME, path) : undefined)
  const listParents = () => {
    if (platform === 'win32') return [env.LOCALAPPDATA]
    if (platform === 'darwin') return [env.XDG_CACHE_HOME, joinHome('Library/Caches')]
    return [env.XDG_CACHE_HOME, joinHome('.cache')]
  }
  const parent = listParents().find((path) => path !== undefined && isAbsolute(path))
  return parent === undefined ? undefined : join(parent, 'svc')
}

/**
 * Creates a folder if necessary. Returns `true` if the path then is a folder that belongs to this user and that no other user may use.
 * Returns `false` for a link, and if the folder cannot be created.
 */
export const preparePrivateFolder = (folder: string): boolean => {
  const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    if (!stats.isDirectory()) return false
    // Windows reports no owner and no mode. Its access lists keep other users out of a user's profile.
    if (process.geteuid === undefined) return true
    return stats.uid === process.geteuid() && (stats.mode & 0o077) === 0
  } catch {
    return false
  }
}

/**
 * Returns the output to print if this version of Node is too old for the program, otherwise `undefined`. The program needs
 * `process.getBuiltinModule`, which Node has since 20.16 and 22.3. The oldest tested version is 20.19. `nodeVersion` has no
 * leading `v`.
 */
export const explainOldNode = (
  nodeVersion: string,
): { readonly stdout: string; readonly stderr: string } | undefined => {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number)
  const isSupported = major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19)
  if (isSupported) return undefined
  const message = `svc needs Node.js 20.19, 22.3 or newer; this is ${nodeVersion}`
  return {
    stdout: `${JSON.stringify({ error: { kind: 'usage', message } })}\n`,
    stderr: `svc: ${message}\n`,
  }
}
