import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { isLoopback } from '../../runtime/http/loopback'

/** A configured API key. */
export interface ApiKey {
  /** The caller's name in the access log and the metrics. Several keys may have the same name. */
  readonly name?: string
  readonly key: string
}

/** The holder of an API key: the caller that sends it. */
export interface KeyHolder {
  /**
   * The hash of the token that the caller sent. It does not reveal the token, and does not change when keys are reloaded. Without
   * configured keys, any token has an id, also `''`.
   */
  readonly id: string
  /** The name of the key, if it has one. */
  readonly name?: string
}

/** The API keys that a service accepts. If no keys are configured, it accepts any token, or none. */
export interface Keys {
  /** Returns the holder of a token, or `undefined` if the token is not accepted. `token` is `''` if the request has none. */
  readonly findHolder: (token: string) => KeyHolder | undefined
  /** Returns true if no keys are configured. */
  readonly isOpen: () => boolean
  /** Replaces the accepted keys. */
  readonly replace: (keys: ReadonlyArray<ApiKey>) => void
}

const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

const hashKeys = (keys: ReadonlyArray<ApiKey>) =>
  keys.map(({ name, key }) => ({ name, keyHash: hashToken(key) }))

/**
 * Creates the keys of a service. The hash of a token is compared with the hash of each key in constant time, because response times
 * must not reveal a key.
 */
export const createKeys = (configured: ReadonlyArray<ApiKey>): Keys => {
  let accepted = hashKeys(configured)
  const isOpen = (): boolean => accepted.length === 0
  return {
    isOpen,
    findHolder: (token) => {
      const tokenHash = hashToken(token)
      const id = tokenHash.toString('base64')
      if (isOpen()) return { id }
      // `filter` compares all keys. `find` would stop at the matching key, so its time would reveal the position of the key.
      const [match] = accepted.filter((key) => timingSafeEqual(tokenHash, key.keyHash))
      if (match === undefined) return undefined
      return match.name === undefined ? { id } : { id, name: match.name }
    },
    replace: (keys) => {
      accepted = hashKeys(keys)
    },
  }
}

/** The maximum number of names. Each name is a label value of the metrics, for which Prometheus needs memory. */
const maxNames = 100

/**
 * Checks the keys of a service that listens on `host`. Fails with a usage error if a header cannot carry a key, if there are
 * more than `maxNames` names, or if there are no keys and other machines can reach the service.
 */
export const checkKeys = (
  host: string,
  keys: ReadonlyArray<ApiKey>,
): E.Either<Failure, ReadonlyArray<ApiKey>> => {
  const isSendable = keys.every(({ key }) => /^[\x21-\x7e]+$/.test(key))
  if (!isSendable)
    return E.left(
      usage('a configured API key holds a blank or a character that no header can carry'),
    )
  const names = new Set(keys.map(({ name }) => name).filter((name) => name !== undefined))
  if (names.size > maxNames)
    return E.left(usage(`API keys may have at most ${maxNames} different names, got ${names.size}`))
  if (keys.length > 0 || isLoopback(host)) return E.right(keys)
  const advice = 'set SERVICE_API_KEYS or pass --api-keys-file'
  return E.left(usage(`refusing to listen on ${host} without API keys: ${advice}`))
}

/** Parses an `Authorization: Bearer <token>` header. Returns `undefined` if it has another form. */
export const parseBearerToken = (authorization = ''): string | undefined =>
  /^bearer +(\S.*)$/i.exec(authorization.trim())?.[1]
