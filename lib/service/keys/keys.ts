import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { isLoopback } from '../../runtime/http/loopback'

/** A configured API key. */
export interface ApiKey {
  /** The caller's name in the access log and the metrics. Several keys may share one. */
  readonly name?: string
  readonly key: string
}

/** The holder of a token. */
export interface KeyHolder {
  /** The token's hash, which keeps the token secret and stays the same when keys are replaced. */
  readonly id: string
  /** The name of the key, if it has one. */
  readonly name?: string
}

/** The API keys that a service accepts. If none are configured, it accepts every token, or a request without one. */
export interface Keys {
  /**
   * Returns the holder of a token, which is empty if the request has none. `undefined` if the token is not accepted.
   */
  readonly findHolder: (token: string) => KeyHolder | undefined
  /** `true` if no keys are configured. */
  readonly isOpen: () => boolean
  /** Accepts other keys from now on. */
  readonly replace: (keys: ReadonlyArray<ApiKey>) => void
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

const digestKeys = (keys: ReadonlyArray<ApiKey>) =>
  keys.map(({ name, key }) => ({ name, digest: digest(key) }))

/**
 * Accepts the configured keys. Compares a token with each of them in constant time, as hashes of equal length,
 * because response times must not reveal a key.
 */
export const createKeys = (configured: ReadonlyArray<ApiKey>): Keys => {
  let accepted = digestKeys(configured)
  const isOpen = (): boolean => accepted.length === 0
  return {
    isOpen,
    findHolder: (token) => {
      const tokenDigest = digest(token)
      const id = tokenDigest.toString('base64')
      if (isOpen()) return { id }
      // Not `find`, which would stop at the key and so take a time that depends on it.
      const [match] = accepted.filter((key) => timingSafeEqual(tokenDigest, key.digest))
      if (match === undefined) return undefined
      return match.name === undefined ? { id } : { id, name: match.name }
    },
    replace: (keys) => {
      accepted = digestKeys(keys)
    },
  }
}

/** Each name is a label of the metrics, and many labels would take much memory in Prometheus. */
const maxNames = 100

/**
 * Returns the keys if a service on this host may run with them. Fails with a usage error if a key cannot be sent in a
 * header, if there are too many names, or if other machines could reach a service without keys.
 */
export const checkKeys = (
  host: string,
  keys: ReadonlyArray<ApiKey>,
): E.Either<Failure, ReadonlyArray<ApiKey>> => {
  if (keys.some(({ key }) => !/^[\x21-\x7e]+$/.test(key)))
    return E.left(
      usage('a configured API key holds a blank or a character that no header can carry'),
    )
  const names = new Set(keys.flatMap(({ name = '' }) => (name === '' ? [] : [name])))
  if (names.size > maxNames)
    return E.left(usage(`API keys may have at most ${maxNames} different names, got ${names.size}`))
  return keys.length > 0 || isLoopback(host)
    ? E.right(keys)
    : E.left(
        usage(
          `refusing to listen on ${host} without API keys: set SERVICE_API_KEYS or pass --api-keys-file`,
        ),
      )
}

/** Reads the token of an `Authorization: Bearer …` header; `undefined` if there is none. */
export const parseBearerToken = (authorization = ''): string | undefined =>
  /^bearer +(\S.*)$/i.exec(authorization.trim())?.[1]
