import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { Secret } from '../../failure/text/secret'

/** Returns the first text that is not blank, trimmed; `''` if all are blank. */
export const findApiKey = (sources: ReadonlyArray<string | undefined>): string =>
  sources.map((source) => source?.trim() ?? '').find((key) => key !== '') ?? ''

/** The maximum length of a key in characters. Each character takes one byte in a header. */
const maxKeyLength = 8 << 10

/**
 * Checks an API key and wraps it so that it is never printed. Fails with a usage error, which does not repeat the key,
 * if it is missing, too long, or has characters that an HTTP header cannot carry. `service` begins the message: a provider, or
 * `typesafe` if none is chosen.
 */
export const parseApiKey = (key: string, service = 'typesafe'): E.Either<Failure, Secret> => {
  if (key === '')
    return E.left(
      usage(`${service}: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY`, 'key'),
    )
  if (key.length > maxKeyLength)
    return E.left(usage(`${service}: invalid API key: it is longer than 8 KiB`))
  // Headers can carry the printable characters of ISO 8859-1.
  const hasInvalidCharacter = /[^\u0020-\u007e\u00a0-\u00ff]/.test(key)
  return hasInvalidCharacter
    ? E.left(usage(`${service}: invalid API key: it has characters that a header cannot carry`))
    : E.right(new Secret(key))
}
