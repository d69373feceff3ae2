import type { Runtime } from './runtime'

type Env = Runtime['env']

/**
 * Has Node keep the compiled code of every file it loads from now on, in a folder of the user's own, so that the next
 * run need not compile it again. Node before 22.1 cannot, and `NODE_DISABLE_COMPILE_CACHE` keeps a newer one from it.
 * Whoever writes into that folder has the user run their code: where it is not safe, nothing is kept. Never fails. D66
 */
export const keepCompiledCode = (env: Env): void => {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as {
    readonly enableCompileCache?: (folder: string) => unknown
  }
  if (enableCompileCache === undefined) return
  const folder = cacheFolder(env, process.platform)
  if (folder !== undefined && isPrivate(folder)) enableCompileCache(folder)
}

/** Where this platform's programs keep what they can make again; `undefined` where the environment does not tell. */
export const cacheFolder = (env: Env, platform: NodeJS.Platform): string | undefined => {
  const { isAbsolute, join } = process.getBuiltinModule('node:path')
  const inHome = (path: string) => (env.HOME ? join(env.HOME, path) : undefined)
  const places =
    platform === 'win32'
      ? [env.LOCALAPPDATA]
      : [env.XDG_CACHE_HOME, inHome(platform === 'darwin' ? 'Library/Caches' : '.cache')]
  const place = places.find((path) => path !== undefined && isAbsolute(path))
  return place && join(place, 'svc')
}

/** Makes the folder where there is none. Tells whether it is a real one, the user's, and closed to everybody else. */
export const isPrivate = (folder: string): boolean => {
  const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    if (!stats.isDirectory()) return false
    // Windows tells neither: there a profile is closed to other users by its access lists.
    return (
      process.geteuid === undefined ||
      (stats.uid === process.geteuid() && (stats.mode & 0o077) === 0)
    )
  } catch {
    return false
  }
}
