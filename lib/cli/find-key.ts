import type { Failure } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'

/** What was found out about the API key in the environment. D64 */
export interface FoundKey {
  /** The environment with the key in `SERVICE_API_KEY`, whichever variable it was found in. */
  readonly env: Runtime['env']
  /** Why the file with the key cannot be read. This matters only where a key is needed and no flag gave one. */
  readonly failure?: Failure
  /** The path of the file with the key, where users other than its owner can read it. */
  readonly readableByOthers?: string
}

/**
 * Looks for the key in `SERVICE_API_KEY`, then in the file that `SERVICE_API_KEY_FILE` names, then in
 * `TYPESAFE_API_KEY`. Blank values count as unset. The file is read only once, because it may be a pipe. Never
 * rejects. D64
 */
export const findKey = async ({ env, files }: Runtime): Promise<FoundKey> => {
  if (env.SERVICE_API_KEY?.trim()) return { env }
  const path = env.SERVICE_API_KEY_FILE
  const found = path ? await (await import('./key-file')).readKeyFile(files, path) : undefined
  if (found?.failure !== undefined) return { env, failure: found.failure }
  const key = found?.key || env.TYPESAFE_API_KEY
  if (!key) return { env }
  return {
    env: { ...env, SERVICE_API_KEY: key },
    ...(path && found?.open ? { readableByOthers: path } : {}),
  }
}
