import * as E from 'fp-ts/Either'
import { findAddress, listKeyVariables } from '../client/providers/address'
import {
  type DestinationSettings,
  loadProvider,
  type Setting,
} from '../client/providers/destination-settings'
import { type Failure, usage } from '../failure/failure'
import { reasonOf } from '../runtime/node/error-reason'
import type { Files, Runtime } from '../runtime/runtime'

/** The variables whose values are secrets, even if the command does not use them. */
const secretVariables = [
  'SERVICE_API_KEY',
  'TYPESAFE_API_KEY',
  'SERVICE_ENGINE_API_KEY',
  'TRACING_API_KEY',
] as const

/** Lists the secrets in the environment, trimmed. They must not be shown. */
export const listSecrets = (env: Runtime['env']): ReadonlyArray<string> =>
  secretVariables.map((name) => env[name]?.trim() ?? '').filter((secret) => secret !== '')

/** The API key in the environment, or the failure to read its file. */
export interface EnvironmentKey {
  /** The key, and the variable it comes from; absent if no variable has a key. */
  readonly key?: Setting
  /** The failure to read the file with the key. It matters only if a key is needed and `--api-key` is absent. */
  readonly failure?: Failure
  /** The path of the file with the key, if users other than its owner can read it. */
  readonly pathReadableByOthers?: string
}

/**
 * Finds the key in the variables that apply to the destination. A variable of only whitespace counts as unset. The file that
 * `SERVICE_API_KEY_FILE` names is read only once, because it may be a pipe. Never rejects.
 */
export const findKey = async (
  { env, files }: Runtime,
  settings: DestinationSettings,
): Promise<EnvironmentKey> => {
  const provider = await loadProvider(settings)
  // A command that makes calls reports an unknown provider later.
  if (E.isLeft(provider)) return {}
  const address = findAddress(settings, provider.right, env)
  for (const variable of listKeyVariables(settings, provider.right, address)) {
    const value = env[variable]
    if (!value) continue
    const found =
      variable === 'SERVICE_API_KEY_FILE'
        ? await findKeyInFile(files, variable, value)
        : findKeyInValue(variable, value)
    if (found !== undefined) return found
  }
  return {}
}

const findKeyInValue = (variable: string, value: string): EnvironmentKey | undefined => {
  const key = value.trim()
  return key === '' ? undefined : { key: { value: key, source: variable } }
}

/** The maximum size of a file with a key: a key of the maximum length (8 KiB), with whitespace around it. */
const maxKeyFileBytes = 16 << 10

/** Reads the key from a file. Returns `undefined` if the file has only whitespace. Never rejects. */
const findKeyInFile = async (
  files: Files,
  variable: string,
  path: string,
): Promise<EnvironmentKey | undefined> => {
  const fail = (reason: string): EnvironmentKey => ({
    failure: usage(`read API key file: ${path}: ${reason}`),
  })
  try {
    const isReadableByOthers = await files.isReadableByOthers(path)
    const bytes = await files.read(path, maxKeyFileBytes)
    if (bytes.length > maxKeyFileBytes) return fail('it is longer than a key can be')
    const found = findKeyInValue(variable, new TextDecoder().decode(bytes))
    return found && isReadableByOthers ? { ...found, pathReadableByOthers: path } : found
  } catch (error) {
    return fail(reasonOf(error))
  }
}
