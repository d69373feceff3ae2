import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../../client/dialects/dialect'
import { parseApiKey } from '../../../client/providers/api-key'
import { parseBaseUrl } from '../../../client/providers/base-url'
import type { Destination, DestinationWithoutKey } from '../../../client/providers/destination'
import type { Setting } from '../../../client/providers/destination-settings'
import type { ProviderName } from '../../../client/providers/provider-names'
import { resolveDestination } from '../../../client/providers/resolve-destination'
import { type Failure, usage } from '../../../failure/failure'
import type { Secret } from '../../../failure/text/secret'
import type { Runtime } from '../../../runtime/runtime'

/** The upstream service: its address, key and dialect. */
export interface UpstreamDestination extends Omit<Destination, 'modelHint'> {
  /** The environment variable that has the key, for messages. */
  readonly keyName: string
}

const engineKeyVariable = 'SERVICE_ENGINE_API_KEY'

/** The flags and the key of the `upstream` engine. */
export interface UpstreamChoice {
  readonly 'engine-url': string | undefined
  readonly 'engine-provider': ProviderName | undefined
  readonly 'engine-dialect': DialectName | undefined
  readonly 'engine-model': string | undefined
  /** `SERVICE_ENGINE_API_KEY`; `undefined` if it is unset. */
  readonly key: Secret | undefined
}

/**
 * Resolves the address, key and dialect of the upstream service. Without `--engine-provider` and `--engine-dialect`,
 * `--engine-url` is a base address, or the address of `/v1/questions` or `/v1/systemone`. Fails with a usage error.
 */
export const resolveUpstream = (
  choice: UpstreamChoice,
  env: Runtime['env'],
): TE.TaskEither<Failure, UpstreamDestination> => {
  const { 'engine-url': url, 'engine-provider': provider, 'engine-dialect': dialect } = choice
  if (url === undefined && provider === undefined)
    return TE.left(usage('--engine upstream needs --engine-url or --engine-provider'))
  return async () => {
    const base = parseEngineUrl(url)
    if (E.isLeft(base)) return base
    const isUnknownService = provider === undefined && dialect === undefined
    const destination = await resolveDestination(
      {
        provider: createSetting('--engine-provider', provider),
        dialect: createSetting(
          '--engine-dialect',
          isUnknownService ? guessDialect(base.right) : dialect,
        ),
        address: createSetting('--engine-url', url),
        model: createSetting('--engine-model', choice['engine-model']),
        key: undefined,
        addressOption: '--engine-url',
        usesServiceVariables: false,
      },
      // Environment variables for addresses apply to calls of svc, not to engines.
      {},
      (withoutKey) => chooseKey(choice, withoutKey, env),
    )()
    if (E.isLeft(destination)) return destination
    const keyName = findKeyVariable(choice, destination.right, env) ?? engineKeyVariable
    // A service without a known provider chooses the default model itself.
    const model = isUnknownService ? choice['engine-model'] : destination.right.model
    return E.right({ ...destination.right, keyName, model })
  }
}

const parseEngineUrl = (url: string | undefined): E.Either<Failure, string> =>
  pipe(
    url === undefined ? E.right('') : parseBaseUrl(url),
    E.mapLeft((why) => usage(`invalid --engine-url ${why}`)),
  )

/** Guesses the dialect of a service from its address. */
const guessDialect = (url: string): DialectName =>
  url.endsWith('/v1/systemone') ? 'systemone' : 'questions'

/** Finds the provider's variable that has the key. Returns `undefined` if none is set, or if `SERVICE_ENGINE_API_KEY` overrides it. */
const findKeyVariable = (
  { key, 'engine-provider': provider }: UpstreamChoice,
  { keyVariables }: DestinationWithoutKey,
  env: Runtime['env'],
): string | undefined =>
  key !== undefined || provider === undefined
    ? undefined
    : keyVariables.find((name) => env[name]?.trim())

const chooseKey = (
  choice: UpstreamChoice,
  destination: DestinationWithoutKey,
  env: Runtime['env'],
): E.Either<Failure, Secret | undefined> => {
  const variable = findKeyVariable(choice, destination, env)
  if (variable !== undefined) return parseApiKey(env[variable]?.trim() ?? '')
  if (choice.key !== undefined || !destination.needsKey) return E.right(choice.key)
  const provider = choice['engine-provider']
  if (provider === undefined && choice['engine-dialect'] === undefined)
    return E.left(usage(`--engine upstream needs ${engineKeyVariable}`))
  const providerVariable = provider === undefined ? [] : destination.keyVariables.slice(-1)
  return E.left(
    usage(
      `no API key for ${destination.service}: set ${[engineKeyVariable, ...providerVariable].join(' or ')}`,
    ),
  )
}

const createSetting = (source: string, value: string | undefined): Setting | undefined =>
  value ? { value, source } : undefined
