import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import type { Provider } from './table'
import { providerNames, type Setting, type Target } from './target'

/**
 * Loads the row of the chosen provider; `undefined` where none is chosen. Every run does this, to find the key that
 * must not be shown, so the table is loaded only where a provider is named. Fails with a usage error for any other
 * name. P2, P3
 */
export const loadProvider = async ({
  provider,
}: Pick<Target, 'provider'>): Promise<E.Either<Failure, Provider | undefined>> => {
  if (provider === undefined) return E.right(undefined)
  const name = chooseName(provider, providerNames)
  return E.isLeft(name) ? name : E.right((await import('./table')).providers[name.right])
}

/** The name among `names` that a setting gives. Fails with a usage error for any other. */
export const chooseName = <N extends string>(
  { value, source }: Setting,
  names: ReadonlyArray<N>,
): E.Either<Failure, N> => {
  const name = names.find((one) => one === value)
  return name === undefined
    ? E.left(usage(`${source} must be one of ${names.join(', ')}, got ${value}`))
    : E.right(name)
}
