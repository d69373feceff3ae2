import * as E from 'fp-ts/Either'
import { dialectNames } from '../client/dialects/dialect'
import { findAddress, listKeyVariables } from '../client/providers/address'
import {
  checkOptionalName,
  selectDestinationSettings,
} from '../client/providers/destination-settings'
import { serviceNames } from '../client/providers/provider-names'
import { providers } from '../client/providers/table'
import { type Failure, usage } from '../failure/failure'
import { orThrow } from './results'
import type { ClientOptions } from './settings'

/**
 * Reads the options of a client from the variables that `svc` reads: `SERVICE_PROVIDER`, `SERVICE_BASE_URL`,
 * `SERVICE_API_KEY`, `OPENAI_API_KEY` and so on; `svc help environment` lists them. A key goes only to the service that it is for.
 * Variables that name a proxy have no effect: pass a `fetch` that goes through it. Throws a `UsageError` for an unknown
 * provider or dialect, and if `SERVICE_API_KEY_FILE` names a file with the key, because this function reads no files.
 */
export const fromEnvironment = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): ClientOptions => orThrow(readEnvironment(env))

const readEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
): E.Either<Failure, ClientOptions> => {
  // Without options, all settings come from the variables.
  const settings = selectDestinationSettings({}, env)
  const chosenProvider = checkOptionalName(settings.provider, serviceNames)
  if (E.isLeft(chosenProvider)) return chosenProvider
  const chosenDialect = checkOptionalName(settings.dialect, dialectNames)
  if (E.isLeft(chosenDialect)) return chosenDialect
  const provider = chosenProvider.right
  const dialect = chosenDialect.right
  const providerSettings = provider && providers[provider]
  const address = findAddress(settings, providerSettings, env)
  // The client knows the addresses of the providers and the default address itself, but not the id of an account.
  const isKnownToClient =
    address === undefined ||
    address.source === 'default' ||
    (address.source === 'provider' && providerSettings?.accountVariable === undefined)
  const baseUrl = isKnownToClient ? undefined : address.value
  const model = settings.model?.value
  const keyVariables = listKeyVariables(settings, providerSettings, address)
  const keyVariable = keyVariables.find((name) => env[name]?.trim())
  if (keyVariable === 'SERVICE_API_KEY_FILE')
    return E.left(usage(`${keyVariable} is not read here: read the file and pass apiKey`))
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable]
  return E.right({
    ...(provider && { provider }),
    ...(dialect && { dialect }),
    ...(baseUrl && { baseUrl }),
    ...(apiKey && { apiKey }),
    ...(model && { model }),
  })
}
