import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../failure/failure'
import { Secret } from '../runtime/secret'

/** The first of the given keys that is not blank, trimmed; `''` where there is none. D3 */
export const findApiKey = (sources: ReadonlyArray<string | undefined>): string =>
  sources.map((source) => source?.trim() ?? '').find((key) => key !== '') ?? ''

/** The longest key, in characters, each of which is one byte in a header. D52 */
const longest = 8 << 10

/**
 * Wraps a key so that it is never printed. Fails where there is none, where it is too long, and where it has
 * characters that no HTTP header can carry; the message does not repeat it. spec: Authentication 2; D3, D52
 */
export const parseApiKey = (key: string): E.Either<Failure, Secret> => {
  if (key === '')
    return E.left(usage('typesafe: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY'))
  if (key.length > longest)
    return E.left(usage('typesafe: invalid API key: it is longer than 8 KiB'))
  return /[^\u0020-\u007e\u00a0-\u00ff]/.test(key)
    ? E.left(usage('typesafe: invalid API key: it has characters that a header cannot carry'))
    : E.right(new Secret(key))
}
