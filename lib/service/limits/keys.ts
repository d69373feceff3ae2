import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { isLoopback } from '../../runtime/http/loopback'

/** The API keys that a service accepts. */
export interface Keys {
  /**
   * A name for the holder of a token, derived from its hash so that it does not reveal it. It stays the same
   * when keys are replaced. `undefined` where the token is not accepted.
   */
  readonly holderOf: (token: string) => string | undefined
  /** Whether every token is accepted, because no keys are configured. */
  readonly isOpen: () => boolean
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/**
 * Accepts the listed keys. A token is compared with each of them in constant time, as hashes of equal length,
 * so that response times reveal nothing about a key. D38
 */
export const listedKeys = (keys: ReadonlyArray<string>): Keys => {
  const hashes = keys.map(digest)
  return {
    holderOf: (token) => {
      const presented = digest(token)
      let found = false
      for (const known of hashes) if (timingSafeEqual(presented, known)) found = true
      return found ? presented.toString('base64') : undefined
    },
    isOpen: () => false,
  }
}

/** Accepts every token: for a service without keys that only this machine can reach. D38 */
export const anyKey: Keys = {
  holderOf: (token) => hash('sha256', token, 'base64'),
  isOpen: () => true,
}

/** API keys that can be replaced while the service runs. D78 */
export interface LiveKeys extends Keys {
  readonly exchange: (keys: Keys) => void
}

/** Accepts the tokens that `keys` accepts, until `exchange` replaces it. */
export const liveKeys = (keys: Keys): LiveKeys => {
  let current = keys
  return {
    holderOf: (token) => current.holderOf(token),
    isOpen: () => current.isOpen(),
    exchange: (other) => {
      current = other
    },
  }
}

/**
 * Decides which tokens a service on this host accepts. Fails with a usage error where a key cannot be sent in a
 * header, and where other machines could reach a service without keys. D38
 */
export const keysFor = (host: string, keys: ReadonlyArray<string>): E.Either<Failure, Keys> => {
  if (keys.some((key) => !/^[\x21-\x7e]+$/.test(key)))
    return E.left(
      usage('a configured API key holds a blank or a character that no header can carry'),
    )
  if (keys.length > 0) return E.right(listedKeys(keys))
  if (isLoopback(host)) return E.right(anyKey)
  return E.left(
    usage(
      `refusing to listen on ${host} without API keys: set SERVICE_API_KEYS or pass --api-keys-file`,
    ),
  )
}

/** The token of an `Authorization: Bearer …` header; `undefined` when there is none. */
export const bearerToken = (authorization = ''): string | undefined =>
  /^bearer +(\S.*)$/i.exec(authorization.trim())?.[1]
