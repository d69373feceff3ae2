import { hash, timingSafeEqual } from 'node:crypto'
import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { isLoopback } from '../../runtime/loopback'

/** The API keys that a service accepts. */
export interface Keys {
  /**
   * A short name for the holder of a token, the same for each of its requests, also after an exchange of keys;
   * `undefined` where the token is not accepted. It does not tell the token.
   */
  readonly holder: (token: string) => string | undefined
  /** Whether every token is accepted. */
  readonly open: () => boolean
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

/**
 * Accepts the listed keys. A token is compared with every one of them, by hashes of equal length and in
 * constant time, so that the time it takes tells nothing about a key. D38
 */
export const listedKeys = (keys: ReadonlyArray<string>): Keys => {
  const hashes = keys.map(digest)
  return {
    holder: (token) => {
      const presented = digest(token)
      let found = false
      for (const known of hashes) if (timingSafeEqual(presented, known)) found = true
      return found ? presented.toString('base64') : undefined
    },
    open: () => false,
  }
}

/** Accepts every token: for a service without keys that only this machine can reach. D38 */
export const anyKey: Keys = {
  holder: (token) => digest(token).toString('base64'),
  open: () => true,
}

/** Keys that can be exchanged for others while the service runs. D78 */
export interface LiveKeys extends Keys {
  readonly exchange: (keys: Keys) => void
}

/** Accepts what `keys` accept until they are exchanged. */
export const liveKeys = (keys: Keys): LiveKeys => {
  let current = keys
  return {
    holder: (token) => current.holder(token),
    open: () => current.open(),
    exchange: (other) => {
      current = other
    },
  }
}

/** The keys of a service on this host. Fails with a usage error where strangers could ask without a key. D38 */
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
