import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { Failure } from '../../failure/failure'
import type { Secret } from '../../failure/text/secret'
import type { Runtime } from '../../runtime/runtime'
import { loadDialect } from '../dialects/load-dialect'
import {
  assembleDestination,
  chooseDialect,
  type Destination,
  type DestinationWithoutKey,
} from './destination'
import type { DestinationSettings } from './destination-settings'
import { loadProvider } from './load-provider'

/** Returns the key for a service; `undefined` if none is sent. Fails if the service needs a key and there is none. */
type ChooseKey = (destination: DestinationWithoutKey) => E.Either<Failure, Secret | undefined>

/**
 * Resolves where calls go, without the key. Loads only the provider and the dialect that the settings name. Fails with a usage
 * error for an invalid provider, dialect or address.
 */
export const resolveWithoutKey =
  (
    settings: DestinationSettings,
    env: Runtime['env'],
  ): TE.TaskEither<Failure, DestinationWithoutKey> =>
  async () => {
    const provider = await loadProvider(settings)
    if (E.isLeft(provider)) return provider
    const dialectName = chooseDialect(settings, provider.right)
    if (E.isLeft(dialectName)) return dialectName
    const dialect = await loadDialect(dialectName.right)
    return assembleDestination(settings, provider.right, dialect, env)
  }

/** Resolves where calls go and with which key. Fails like `resolveWithoutKey`, then like `chooseKey`. */
export const resolveDestination =
  (
    settings: DestinationSettings,
    env: Runtime['env'],
    chooseKey: ChooseKey,
  ): TE.TaskEither<Failure, DestinationWithoutKey & Destination> =>
  async () => {
    const resolved = await resolveWithoutKey(settings, env)()
    if (E.isLeft(resolved)) return resolved
    const key = chooseKey(resolved.right)
    return E.isLeft(key) ? key : E.right({ ...resolved.right, key: key.right })
  }
