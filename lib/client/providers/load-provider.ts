import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import type { Provider } from './table'
import { chooseName, explainUnknownProvider, providerNames, type Target } from './target'

/**
 * Loads the row of the chosen provider; `undefined` where none is chosen. Every run does this, to find the key that
 * must not be shown, so the table is loaded only where a provider is named. Fails with a usage error for any other
 * name.
 */
export const loadProvider = async ({
  provider,
}: Pick<Target, 'provider'>): Promise<E.Either<Failure, Provider | undefined>> => {
  if (provider === undefined) return E.right(undefined)
  const name = chooseName(provider, providerNames, explainUnknownProvider)
  return E.isLeft(name) ? name : E.right((await import('./table')).providers[name.right])
}
