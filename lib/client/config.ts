import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { type Failure, usage } from '../failure/failure'
import type { Duration } from '../runtime/duration'
import { isLogLevel, type LogLevel, unknownLevel } from '../runtime/log'
import type { Runtime } from '../runtime/runtime'
import { Secret } from '../runtime/secret'
import { createRedact } from '../text/redact'
import { findApiKey, parseApiKey } from './api-key'
import { defaultBaseUrl, parseBaseUrl } from './base-url'

/** What a client needs to know about its service. */
export interface ClientConfig {
  /** Without a trailing `/`. */
  readonly baseUrl: string
  readonly apiKey: Secret
  /** The model of requests that name none. */
  readonly model: string
  /** For each attempt; 0 for no limit. */
  readonly timeout: Duration
  readonly maxRetries: number
}

/** The global flags a client reads; `undefined` when not passed. */
export interface ClientFlags {
  readonly 'api-key': string | undefined
  readonly 'base-url': string | undefined
  readonly model: string | undefined
  readonly timeout: Duration | undefined
  readonly 'max-retries': number | undefined
  readonly 'log-level': string | undefined
}

type Env = Runtime['env']

const defaultModel = 'svc-latest'
const defaultTimeout = 10_000_000_000n
const defaultMaxRetries = 2

/** Flag, then environment, then default; an empty text counts as unset. D16, spec: Global flags 1 */
const first = (flag: string | undefined, variable: string | undefined): string | undefined =>
  flag || variable || undefined

/** What fails before anything is read or built: the log level. D22 */
export const checkFlags = (flags: ClientFlags, env: Env): E.Either<Failure, LogLevel> => {
  const level = first(flags['log-level'], env.SERVICE_LOG_LEVEL) ?? 'off'
  return isLogLevel(level) ? E.right(level) : E.left(usage(unknownLevel(level)))
}

/** The key as given, `''` when there is none. D3 */
const givenKey = (flags: ClientFlags, env: Env): string =>
  findApiKey([flags['api-key'], env.SERVICE_API_KEY])

const baseUrl = (flags: ClientFlags, env: Env): E.Either<Failure, string> => {
  const redact = createRedact([givenKey(flags, env)])
  return pipe(
    parseBaseUrl(first(flags['base-url'], env.SERVICE_BASE_URL) ?? defaultBaseUrl),
    E.mapLeft((why) => usage(redact(`typesafe: invalid base URL ${why}`))),
  )
}

const config =
  (flags: ClientFlags, env: Env, baseUrl: string) =>
  (apiKey: Secret): ClientConfig => {
    const { timeout = defaultTimeout, 'max-retries': maxRetries = defaultMaxRetries } = flags
    return {
      baseUrl,
      apiKey,
      model: first(flags.model, env.SERVICE_DEFAULT_MODEL) ?? defaultModel,
      timeout,
      maxRetries,
    }
  }

/** The client's settings from flags and environment. Fails in this order: `checkFlags`, base address, key. */
export const clientConfig = (flags: ClientFlags, env: Env): E.Either<Failure, ClientConfig> =>
  pipe(
    checkFlags(flags, env),
    E.chain(() => baseUrl(flags, env)),
    E.chain((url) => pipe(parseApiKey(givenKey(flags, env)), E.map(config(flags, env, url)))),
  )

/** The same for a run that sends nothing, where the key may be missing. */
export const dryRunConfig = (flags: ClientFlags, env: Env): E.Either<Failure, ClientConfig> =>
  pipe(
    checkFlags(flags, env),
    E.chain(() => baseUrl(flags, env)),
    E.chain((url) => {
      const key = givenKey(flags, env)
      const secret = key === '' ? E.right(new Secret('')) : parseApiKey(key)
      return pipe(secret, E.map(config(flags, env, url)))
    }),
  )
