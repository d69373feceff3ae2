import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { isLoopback } from '../../runtime/http/loopback'

/** The API keys that a service accepts. Without any it accepts every token. D38 */
export interface Keys {
  /**
   * A name for the holder of a token, derived from its hash so that it does not reveal it. It stays the same
   * when keys are replaced. `undefined` where the token is not accepted.
   */
  readonly holderOf: (token: string) => string | undefined
  /** Whether every token is accepted. */
  readonly isOpen: () => boolean
  /** Accepts other keys from now on. D78 */
  readonly replace: (keys: ReadonlyArray<string>) => void
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/**
 * Accepts the listed keys. A token is compared with each of them in constant time, as hashes of equal length,
 * so that response times reveal nothing about a key. D38
 */
export const createKeys = (listed: ReadonlyArray<string>): Keys => {
  let hashes = listed.map(digest)
  const isOpen = (): boolean => hashes.length === 0
  return {
    isOpen,
    holderOf: (token) => {
      const presented = digest(token)
      const equal = hashes.filter((known) => timingSafeEqual(presented, known))
      return isOpen() || equal.length > 0 ? presented.toString('base64') : undefined
    },
    replace: (others) => {
      hashes = others.map(digest)
    },
  }
}

/**
 * Returns the keys where a service on this host may run with them. Fails with a usage error where a key cannot be
 * sent in a header, and where other machines could reach a service without keys. D38
 */
export const checkKeys = (
  host: string,
  keys: ReadonlyArray<string>,
): E.Either<Failure, ReadonlyArray<string>> => {
  if (keys.some((key) => !/^[\x21-\x7e]+$/.test(key)))
    return E.left(
      usage('a configured API key holds a blank or a character that no header can carry'),
    )
  return keys.length > 0 || isLoopback(host)
    ? E.right(keys)
    : E.left(
        usage(
          `refusing to listen on ${host} without API keys: set SERVICE_API_KEYS or pass --api-keys-file`,
        ),
      )
}

/** The token of an `Authorization: Bearer …` header; `undefined` when there is none. */
export const bearerToken = (authorization = ''): string | undefined =>
  /^bearer +(\S.*)$/i.exec(authorization.trim())?.[1]
