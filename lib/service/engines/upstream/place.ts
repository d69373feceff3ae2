import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { DialectName } from '../../../client/dialects/dialect'
import { loadDialect } from '../../../client/dialects/load'
import { parseApiKey } from '../../../client/providers/api-key'
import { parseBaseUrl } from '../../../client/providers/base-url'
import { findRoute } from '../../../client/providers/find-route'
import { loadProvider } from '../../../client/providers/load-provider'
import type { Place } from '../../../client/providers/place'
import type { ProviderName, Setting, Target } from '../../../client/providers/target'
import { type Failure, usage } from '../../../failure/failure'
import type { Secret } from '../../../failure/text/secret'
import type { Runtime } from '../../../runtime/runtime'

/** Where the upstream service is, and how it is spoken to. */
export interface UpstreamPlace extends Omit<Place, 'modelHint'> {
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
  /** `SERVICE_ENGINE_API_KEY`; `undefined` where it is unset. */
  readonly key: Secret | undefined
}

/**
 * Resolves where the `upstream` engine sends requests. Without a provider and a dialect, `--engine-url` is a base
 * address or the whole address of one of the two ask operations of the specification. Fails with a usage error.
 */
export const findUpstream = (
  choice: UpstreamChoice,
  env: Runtime['env'],
): TE.TaskEither<Failure, UpstreamPlace> => {
  const { 'engine-url': url, 'engine-provider': provider, 'engine-dialect': dialect } = choice
  if (url === undefined && provider === undefined)
    return TE.left(usage('--engine upstream needs --engine-url or --engine-provider'))
  return pipe(
    TE.fromEither(checkUrl(url)),
    TE.chain((base) =>
      base !== undefined && provider === undefined && dialect === undefined
        ? findPlain(base, choice)
        : findByProvider(choice, env),
    ),
  )
}

const checkUrl = (url: string | undefined): E.Either<Failure, string | undefined> =>
  url === undefined
    ? E.right(undefined)
    : pipe(
        parseBaseUrl(url),
        E.mapLeft((why) => usage(`invalid --engine-url ${why}`)),
      )

const findPlain = (
  base: string,
  { key, 'engine-model': model }: UpstreamChoice,
): TE.TaskEither<Failure, UpstreamPlace> => {
  if (key === undefined) return TE.left(usage(`--engine upstream needs ${engineKey}`))
  const { ask, models, name } = plainAddresses(base)
  return pipe(
    TE.fromTask(() => loadDialect(name)),
    TE.map((dialect) => ({
      ...{ service: dialect.name, dialect, key, keyName: engineKey, model },
      ask: { url: ask, path: dialect.askPath },
      models: { url: models, path: dialect.modelsPath },
      keyHeader: dialect.keyHeader,
      requestIdHeader: dialect.requestIdHeader,
      takesImages: true,
      needsImagesHeader: false,
    })),
  )
}

/** The addresses of the two operations below a base address, or beside the whole address of one that asks. */
const plainAddresses = (base: string) => {
  const [, before, operation] = /^(.*)\/v1\/(questions|systemone)$/.exec(base) ?? []
  const root = before ?? base.replace(/\/v1$/, '')
  return {
    ask: before === undefined ? `${root}/v1/questions` : base,
    models: `${root}/v1/models`,
    name: operation === 'systemone' ? ('systemone' as const) : ('questions' as const),
  }
}

/** Resolves a place as for calls, but reads no variable of theirs: an address comes from `--engine-url` or the row. */
const findByProvider = (
  choice: UpstreamChoice,
  env: Runtime['env'],
): TE.TaskEither<Failure, UpstreamPlace> => {
  const target: Target = {
    provider: settingOf('--engine-provider', choice['engine-provider']),
    dialect: settingOf('--engine-dialect', choice['engine-dialect']),
    address: settingOf('--engine-url', choice['engine-url']),
    model: settingOf('--engine-model', choice['engine-model']),
    key: undefined,
    readsService: false,
  }
  const name = choice['engine-provider']
  return pipe(
    () => loadProvider(target),
    TE.filterOrElse(
      (provider) => provider === undefined || (target.address ?? provider.address) !== undefined,
      () => usage(`${name} has no address of its own: pass --engine-url`),
    ),
    TE.chain(() => findRoute(target, {})),
    TE.chainEitherK((route) => {
      const variables = target.provider === undefined ? [] : route.keyVariables
      const own = choice.key === undefined ? variables.find((name) => env[name]?.trim()) : undefined
      const found = own === undefined ? E.right(choice.key) : parseApiKey(env[own]?.trim() ?? '')
      const names = [engineKey, ...variables.slice(-1)].join(' or ')
      return pipe(
        found,
        E.filterOrElse(
          (key) => key !== undefined || !route.needsKey,
          () => usage(`no API key for ${route.service}: set ${names}`),
        ),
        E.map((key) => ({ ...route, key, keyName: own ?? engineKey })),
      )
    }),
  )
}

const settingOf = (source: string, value: string | undefined): Setting | undefined =>
  value ? { value, source } : undefined
