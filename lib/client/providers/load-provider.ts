import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { checkName, type DestinationSettings } from './destination-settings'
import { explainUnknownProvider, providerNames } from './provider-names'
import type { Provider } from './table'

/**
 * Loads the provider that the settings name; `undefined` if they name none. Fails with a usage error for an unknown name. It
 * imports the table only if a name is set, because every command calls this function at its start, even if it needs no provider.
 */
export const loadProvider = async (
  settings: Pick<DestinationSettings, 'provider'>,
): Promise<E.Either<Failure, Provider | undefined>> => {
  if (settings.provider === undefined) return E.right(undefined)
  const name = checkName(settings.provider, providerNames, explainUnknownProvider)
  if (E.isLeft(name)) return name
  const { providers } = await import('./table')
  return E.right(providers[name.right])
}
