/** What the program does before it starts. Every version of Node must be able to read this file and what it imports. */
import type { Runtime } from '../runtime'

type Env = Runtime['env']

/**
 * Has Node store the compiled code of every file it loads in a folder of the user's own, so that the next run
 * need not compile it again. Node 20 cannot do this, and the variable `NODE_DISABLE_COMPILE_CACHE` turns it off.
 * Whoever can write to that folder can make the user run their code, so nothing is stored where the folder is
 * not private. `nodeVersion` is without the leading `v`. Never fails.
 */
export const cacheCompiledCode = (env: Env, nodeVersion: string): void => {
  if (nodeVersion.startsWith('20.')) return
  const folder = findCacheFolder(env, process.platform)
  if (folder === undefined || !preparePrivateFolder(folder)) return
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: (folder: string) => unknown
  }
  enableCompileCache?.(folder)
}

/**
 * The folder where programs of this platform keep data that they can recreate; `undefined` where the
 * environment does not name one.
 */
export const findCacheFolder = (env: Env, platform: NodeJS.Platform): string | undefined => {
  const { isAbsolute, join } = process.getBuiltinModule('node:path')
  const inHome = (path: string) => (env.HOME ? join(env.HOME, path) : undefined)
  const places =
    platform === 'win32'
      ? [env.LOCALAPPDATA]
      : [env.XDG_CACHE_HOME, inHome(platform === 'darwin' ? 'Library/Caches' : '.cache')]
  const place = places.find((path) => path !== undefined && isAbsolute(path))
  return place && join(place, 'svc')
}

/**
 * Creates the folder if necessary, and checks that it is a real folder, owned by the user, without access for
 * anyone else.
 */
export const preparePrivateFolder = (folder: string): boolean => {
  const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    if (!stats.isDirectory()) return false
    // Windows reports neither owner nor mode; there, access lists close a user's profile to other users.
    return (
      process.geteuid === undefined ||
      (stats.uid === process.geteuid() && (stats.mode & 0o077) === 0)
    )
  } catch {
    return false
  }
}

/**
 * Returns what to print where this version of Node cannot run the program, `undefined` where it can. The
 * program needs `process.getBuiltinModule`, which came with Node 20.16 and 22.3; 20.19 is the oldest Node 20
 * that is tested. `version` is without the leading `v`. The exit code is 1.
 */
export const checkNodeVersion = (
  version: string,
): { readonly stdout: string; readonly stderr: string } | undefined => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 3) || (major === 20 && minor >= 19)) return undefined
  const message = `svc needs Node.js 20.19, 22.3 or newer; this is ${version}`
  return {
    stdout: `${JSON.stringify({ error: { kind: 'usage', message } })}\n`,
    stderr: `svc: ${message}\n`,
  }
}
