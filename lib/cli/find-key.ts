import * as E from 'fp-ts/Either'
import { findAddress, listKeyVariables } from '../client/providers/address'
import { loadProvider } from '../client/providers/load-provider'
import { chooseTarget, type Setting, type Target } from '../client/providers/target'
import type { Failure } from '../failure/failure'
import type { Runtime } from '../runtime/runtime'
import type { FlagValue } from './values'

/** What the flags on the command line and the environment say about where calls go. */
export const readTarget = (passed: ReadonlyMap<string, FlagValue>, env: Runtime['env']): Target => {
  const settingOf = (name: string): Setting | undefined => {
    const value = passed.get(name)
    return typeof value === 'string' ? { value, source: `--${name}` } : undefined
  }
  return chooseTarget(
    {
      provider: settingOf('provider'),
      dialect: settingOf('dialect'),
      address: settingOf('base-url'),
      key: settingOf('api-key'),
      model: settingOf('model'),
    },
    env,
  )
}

/** The variables whose values are secrets, whatever the command does. */
const secretVariables = [
  'SERVICE_API_KEY',
  'TYPESAFE_API_KEY',
  'SERVICE_ENGINE_API_KEY',
  'TRACING_API_KEY',
] as const

/** The secrets in the environment, trimmed. They must not be shown. */
export const secretsIn = (env: Runtime['env']): ReadonlyArray<string> =>
  secretVariables.map((name) => env[name]?.trim() ?? '')

/** What was found out about the API key in the environment. */
export interface FoundKey {
  /** The key and the variable it comes from; absent if no variable has one. */
  readonly key?: Setting
  /** Why the file with the key cannot be read. This matters only if a key is needed and no flag gave one. */
  readonly failure?: Failure
  /** The path of the file with the key, if users other than its owner can read it. */
  readonly readableByOthers?: string
}

/**
 * Looks for the key in the variables that are meant for the place where calls go. Blank values count as unset.
 * The file that `SERVICE_API_KEY_FILE` names is read only once, because it may be a pipe. Never rejects.
 */
export const findKey = async ({ env, files }: Runtime, target: Target): Promise<FoundKey> => {
  const provider = await loadProvider(target)
  // Commands that make calls report an unknown provider.
  if (E.isLeft(provider)) return {}
  const address = findAddress(target, provider.right, env)
  for (const variable of listKeyVariables(target, provider.right, address)) {
    const value = env[variable]
    if (!value) continue
    if (variable === 'SERVICE_API_KEY_FILE') {
      const { readKeyFile } = await import('./key-file')
      const { key, failure, open } = await readKeyFile(files, value)
      if (failure !== undefined) return { failure }
      if (key)
        return { key: { value: key, source: variable }, ...(open && { readableByOthers: value }) }
    } else if (value.trim() !== '') return { key: { value: value.trim(), source: variable } }
  }
  return {}
}
