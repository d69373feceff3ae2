import * as E from 'fp-ts/Either'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../../client/dialects/dialect'
import {
  type Destination,
  type DestinationWithoutKey,
  parseApiKey,
  resolveDestination,
} from '../../../client/providers/destination'
import type { Setting } from '../../../client/providers/destination-settings'
import { parseBaseUrl } from '../../../client/providers/endpoints'
import { type Failure, usage } from '../../../failure/failure'
import type { Runtime } from '../../../runtime/runtime'
import type { Secret } from '../../../text/secret'
import type { EngineSettings } from '../../contract/engine-settings'

/** The upstream service: its address, its key and its dialect, the form of its requests and responses. */
export interface UpstreamDestination extends Omit<Destination, 'modelHint'> {
  /** The name of the environment variable that has the key, for messages. */
  readonly keyVariable: string
}

const engineKeyVariable = 'SERVICE_ENGINE_API_KEY'

/** The settings that decide which service is upstream, and the key that overrides a provider's key. */
export interface UpstreamFlags
  extends Pick<EngineSettings, 'url' | 'provider' | 'dialect' | 'model'> {
  /** `SERVICE_ENGINE_API_KEY`; `undefined` if it is unset. */
  readonly key: Secret | undefined
}

/**
 * Resolves the address, key and dialect of the upstream service. `--engine-url` is a base address, or the address of `/v1/questions` or
 * `/v1/systemone`. Without `--engine-provider` and `--engine-dialect`, its path decides the dialect. Fails with a usage error if a flag
 * or the key is invalid, or if a required flag or key is missing.
 */
export const resolveUpstream = (
  flags: UpstreamFlags,
  env: Runtime['env'],
): TE.TaskEither<Failure, UpstreamDestination> => {
  const { url, provider, dialect } = flags
  if (url === undefined && provider === undefined)
    return TE.left(usage('--engine upstream needs --engine-url or --engine-provider'))
  return async () => {
    const baseUrl = url === undefined ? undefined : parseBaseUrl(url)
    if (baseUrl !== undefined && E.isLeft(baseUrl))
      return E.left(usage(`invalid --engine-url ${baseUrl.left}`))
    const isUnknownService = provider === undefined && dialect === undefined
    const guessedDialect =
      isUnknownService && baseUrl !== undefined ? guessDialect(baseUrl.right) : undefined
    const destination = await resolveDestination(
      {
        provider: createSetting('--engine-provider', provider),
        dialect: createSetting('--engine-dialect', dialect ?? guessedDialect),
        address: createSetting('--engine-url', url),
        model: createSetting('--engine-model', flags.model),
        key: undefined,
        addressOption: '--engine-url',
        dialectOption: '--engine-dialect decisions',
        // Variables that redirect the calls of other commands do not count.
        usesServiceVariables: false,
        ignoredVariables: 'addresses',
      },
      env,
      (withoutKey) => chooseKey(flags, withoutKey, env),
    )
    if (E.isLeft(destination)) return destination
    const keyVariable = findKeyVariable(flags, destination.right, env) ?? engineKeyVariable
    // A service without a known provider chooses the default model itself.
    const model = isUnknownService ? flags.model : destination.right.model
    return E.right({ ...destination.right, keyVariable, model })
  }
}

/** Guesses the dialect of a service from the path of its address; `undefined` for that of OpenAI's decisions, which must be chosen. */
const guessDialect = (url: string): DialectName | undefined => {
  if (url.endsWith('/decisions')) return undefined
  return url.endsWith('/v1/systemone') ? 'systemone' : 'questions'
}

/** Finds the provider's variable that has the key. Returns `undefined` if none is set, or if `SERVICE_ENGINE_API_KEY` overrides it. */
const findKeyVariable = (
  { key: engineKey, provider }: UpstreamFlags,
  { keyVariables }: DestinationWithoutKey,
  env: Runtime['env'],
): string | undefined => {
  if (engineKey !== undefined || provider === undefined) return undefined
  return keyVariables.find((name) => env[name]?.trim())
}

/** Chooses the key: `SERVICE_ENGINE_API_KEY`, then the provider's variables. Fails if the service needs a key and none is set. */
const chooseKey = (
  flags: UpstreamFlags,
  destination: DestinationWithoutKey,
  env: Runtime['env'],
): E.Either<Failure, Secret | undefined> => {
  const { key: engineKey, provider, dialect } = flags
  if (engineKey !== undefined) return E.right(engineKey)
  const providerVariable = findKeyVariable(flags, destination, env)
  if (providerVariable !== undefined) return parseApiKey(env[providerVariable]?.trim() ?? '')
  if (!destination.needsKey) return E.right(undefined)
  if (provider === undefined && dialect === undefined)
    return E.left(usage(`--engine upstream needs ${engineKeyVariable}`))
  // The last variable of a provider is its usual one.
  const usualVariable = provider === undefined ? undefined : destination.keyVariables.at(-1)
  const advice =
    usualVariable === undefined ? engineKeyVariable : `${engineKeyVariable} or ${usualVariable}`
  return E.left(usage(`no API key for ${destination.service}: set ${advice}`))
}

/** Creates a setting. An empty value counts as unset. */
const createSetting = (source: string, value: string | undefined): Setting | undefined =>
  value ? { value, source } : undefined
