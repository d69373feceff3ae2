import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../../client/dialects/dialect'
import { parseApiKey } from '../../../client/providers/api-key'
import { parseBaseUrl } from '../../../client/providers/base-url'
import type { Destination, Route } from '../../../client/providers/destination'
import { resolveDestination } from '../../../client/providers/resolve-destination'
import type { ProviderName, Setting } from '../../../client/providers/target'
import { type Failure, usage } from '../../../failure/failure'
import type { Secret } from '../../../failure/text/secret'
import type { Runtime } from '../../../runtime/runtime'

/** The upstream service: its address, key and dialect. */
export interface UpstreamPlace extends Omit<Destination, 'modelHint'> {
  /** The variable that holds the key. */
  readonly keyName: string
}

const engineKey = 'SERVICE_ENGINE_API_KEY'

/** The flags and the key that choose an upstream service. */
export interface UpstreamChoice {
  readonly 'engine-url': string | undefined
  readonly 'engine-provider': ProviderName | undefined
  readonly 'engine-dialect': DialectName | undefined
  readonly 'engine-model': string | undefined
  /** `SERVICE_ENGINE_API_KEY`; `undefined` if it is unset. */
  readonly key: Secret | undefined
}

/**
 * Resolves the address that the `upstream` engine sends requests to. Without a provider and a dialect, `--engine-url`
 * is a base address or the whole address of one of the two ask operations. Fails with a usage error.
 */
export const findUpstream = (
  choice: UpstreamChoice,
  env: Runtime['env'],
): TE.TaskEither<Failure, UpstreamPlace> => {
  const { 'engine-url': url, 'engine-provider': provider, 'engine-dialect': dialect } = choice
  if (url === undefined && provider === undefined)
    return TE.left(usage('--engine upstream needs --engine-url or --engine-provider'))
  return async () => {
    const base = checkUrl(url)
    if (E.isLeft(base)) return base
    const isPlain = provider === undefined && dialect === undefined
    const destination = await resolveDestination(
      {
        provider: settingOf('--engine-provider', provider),
        dialect: settingOf('--engine-dialect', isPlain ? dialectOfUrl(base.right) : dialect),
        address: settingOf('--engine-url', url),
        model: settingOf('--engine-model', choice['engine-model']),
        key: undefined,
        addressOption: '--engine-url',
        readsService: false,
        chooseKey: (route) => chooseKey(choice, route, env),
      },
      // No variable names the address of an engine.
      {},
    )()
    if (E.isLeft(destination)) return destination
    const keyName = findOwnVariable(choice, destination.right, env) ?? engineKey
    // A plain service chooses the model itself if the request names none.
    const model = isPlain ? choice['engine-model'] : destination.right.model
    return E.right({ ...destination.right, keyName, model })
  }
}

const checkUrl = (url: string | undefined): E.Either<Failure, string> =>
  pipe(
    url === undefined ? E.right('') : parseBaseUrl(url),
    E.mapLeft((why) => usage(`invalid --engine-url ${why}`)),
  )

/** The dialect of a service that is given by its address only. */
const dialectOfUrl = (url: string): DialectName =>
  url.endsWith('/v1/systemone') ? 'systemone' : 'questions'

/** The variable of the provider that has the key; `undefined` if `SERVICE_ENGINE_API_KEY` has it, or none. */
const findOwnVariable = (
  { key, 'engine-provider': provider }: UpstreamChoice,
  { keyVariables }: Route,
  env: Runtime['env'],
): string | undefined =>
  key !== undefined || provider === undefined
    ? undefined
    : keyVariables.find((name) => env[name]?.trim())

const chooseKey = (
  choice: UpstreamChoice,
  route: Route,
  env: Runtime['env'],
): E.Either<Failure, Secret | undefined> => {
  const own = findOwnVariable(choice, route, env)
  if (own !== undefined) return parseApiKey(env[own]?.trim() ?? '')
  if (choice.key !== undefined || !route.needsKey) return E.right(choice.key)
  const provider = choice['engine-provider']
  if (provider === undefined && choice['engine-dialect'] === undefined)
    return E.left(usage(`--engine upstream needs ${engineKey}`))
  const names = provider === undefined ? [] : route.keyVariables.slice(-1)
  return E.left(usage(`no API key for ${route.service}: set ${[engineKey, ...names].join(' or ')}`))
}

const settingOf = (source: string, value: string | undefined): Setting | undefined =>
  value ? { value, source } : undefined
