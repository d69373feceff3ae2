import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../../failure/failure'
import { findApiKey, parseApiKey } from '../../provider/api-key'
import type { Runtime } from '../../runtime/runtime'
import type { Secret } from '../../text/secret'

/**
 * Reads the API key for the engine from `SERVICE_ENGINE_API_KEY`. A blank key counts as unset. Fails with a
 * usage error, which does not repeat the key, where a header cannot carry it. D3
 */
export const engineApiKey = (env: Runtime['env']): E.Either<Failure, Secret | undefined> => {
  const key = findApiKey([env.SERVICE_ENGINE_API_KEY])
  return key === ''
    ? E.right(undefined)
    : pipe(
        parseApiKey(key),
        E.mapLeft(() => usage('SERVICE_ENGINE_API_KEY has characters that a header cannot carry')),
      )
}
