import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import type { Secret } from '../../failure/text/secret'
import type { Runtime } from '../../runtime/runtime'
import type { Dialect } from '../dialects/dialect'
import { loadDialect } from '../dialects/load-dialect'
import { chooseDialect, type Destination, type Route, resolveRoute } from './destination'
import { loadProvider } from './load-provider'
import type { Provider } from './table'
import type { Target } from './target'

/** What decides where calls go: the settings of the caller, and how the caller finds the key. */
export interface DestinationOptions extends Target {
  /** Returns the key for a service; `undefined` if none is sent. Fails if the service needs a key and there is none. */
  readonly chooseKey: (route: Route) => E.Either<Failure, Secret | undefined>
}

/** A place, and where each of its settings comes from. */
export type ResolvedDestination = Destination & Route

/**
 * Resolves where calls go and with which key, and loads only the provider and the dialect that are chosen. Fails with a
 * usage error for provider, dialect or address, then as `chooseKey` does.
 */
export const resolveDestination =
  (options: DestinationOptions, env: Runtime['env']): TE.TaskEither<Failure, ResolvedDestination> =>
  async () => {
    const route = await findRoute(options, env)()
    return E.isLeft(route) ? route : addKey(options, route.right)
  }

/** Resolves the same at once, for a caller that has loaded the provider and the dialect. */
export const resolveLoadedDestination = (
  options: DestinationOptions,
  provider: Provider | undefined,
  dialect: Dialect,
  env: Runtime['env'],
): E.Either<Failure, ResolvedDestination> => {
  const route = resolveRoute(options, provider, dialect, env)
  return E.isLeft(route) ? route : addKey(options, route.right)
}

const addKey = (
  options: DestinationOptions,
  route: Route,
): E.Either<Failure, ResolvedDestination> => {
  const key = options.chooseKey(route)
  return E.isLeft(key) ? key : E.right({ ...route, key: key.right })
}

/** Resolves where calls go, without the key. Fails with a usage error for provider, dialect or address. */
export const findRoute =
  (target: Target, env: Runtime['env']): TE.TaskEither<Failure, Route> =>
  async () => {
    const provider = await loadProvider(target)
    if (E.isLeft(provider)) return provider
    const dialect = chooseDialect(target, provider.right)
    if (E.isLeft(dialect)) return dialect
    return resolveRoute(target, provider.right, await loadDialect(dialect.right), env)
  }
