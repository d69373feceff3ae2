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

/** Who holds a token. */
export interface KeyHolder {
  /** Derived from the token's hash, which keeps the token secret. Stays the same when keys are replaced. */
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
  /** True if no keys are configured. */
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
  let known = digestKeys(configured)
  const isOpen = (): boolean => known.length === 0
  return {
    isOpen,
    findHolder: (token) => {
      const presented = digest(token)
      const id = presented.toString('base64')
      if (isOpen()) return { id }
      const [found] = known.filter((one) => timingSafeEqual(presented, one.digest))
      if (found === undefined) return undefined
      return found.name === undefined ? { id } : { id, name: found.name }
    },
    replace: (others) => {
      known = digestKeys(others)
    },
  }
}

/** Each name is a label of the metrics, which must stay few. */
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
