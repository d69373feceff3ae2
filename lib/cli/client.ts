import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { findApiKey, parseApiKey } from '../client/api-key'
import { parseBaseUrl } from '../client/base-url'
import type { ClientConfig, ClientEnv } from '../client/env'
import { type Failure, usage } from '../failure/failure'
import { proxyFor } from '../runtime/http/proxy-choice'
import type { Runtime } from '../runtime/runtime'
import { createLogger, type Logger, warnOfPlainHttp } from '../telemetry/log'
import { Secret } from '../text/secret'
import type { Version } from './build'
import type { Context } from './declaration'
import type { Flags } from './flags'
import type { Globals } from './globals'

/** The part of a command's context that its client uses. */
export type ClientContext = Pick<
  Context<Flags>,
  'runtime' | 'build' | 'tracer' | 'key' | 'globals' | 'level'
>

/**
 * Creates the client of a command, which logs to stderr (D22). Fails as `clientConfig` does, and with a usage error
 * where the environment names no usable proxy for its calls. D54
 */
export const clientOf = (context: ClientContext): E.Either<Failure, ClientEnv> => {
  const { runtime, build, tracer, key, globals } = context
  const { failure, readableByOthers } = key
  const log = logOf(context)
  return pipe(
    clientConfig(globals, runtime.env, (given) =>
      given === '' && failure !== undefined ? E.left(failure) : parseApiKey(given),
    ),
    E.chainFirst(({ baseUrl }) => pipe(proxyFor(runtime.env, new URL(baseUrl)), E.mapLeft(usage))),
    E.map((config) => {
      warnOfPlainHttp(log, 'API', new URL(config.baseUrl))
      if (readableByOthers !== undefined)
        log.warning('others can read the file with the API key', { file: readableByOthers })
      return { runtime, config, tracer, log, userAgent: userAgentOf(build), signal: runtime.signal }
    }),
  )
}

/** Creates the logger of a command, which writes to stderr. D22 */
export const logOf = ({ runtime, level }: Pick<ClientContext, 'runtime' | 'level'>): Logger =>
  createLogger(level, runtime.clock, (line) => {
    // Nobody can be told that stderr is closed.
    runtime.stderr.write(line).catch(() => undefined)
  })

/** Reads the settings of the client. Fails with a usage error for the base address, then for the key. D1, D3 */
export const clientConfig = (
  globals: Globals,
  env: Runtime['env'],
  readKey: typeof parseApiKey = parseApiKey,
): E.Either<Failure, ClientConfig> => {
  const key = givenKey(globals, env)
  return pipe(
    E.Do,
    E.bind('baseUrl', () =>
      pipe(
        parseBaseUrl(globals['base-url']),
        E.mapLeft((why) => usage(`typesafe: invalid base URL ${why}`)),
      ),
    ),
    E.bind('apiKey', () => readKey(key)),
    E.map(({ baseUrl, apiKey }) => ({
      baseUrl,
      apiKey,
      model: globals.model,
      timeout: globals.timeout,
      maxRetries: globals['max-retries'],
    })),
  )
}

/** Reads the settings for a dry run, where the key may be missing. */
export const dryRunConfig = (
  globals: Globals,
  env: Runtime['env'],
): E.Either<Failure, ClientConfig> =>
  clientConfig(globals, env, (key) => (key === '' ? E.right(new Secret('')) : parseApiKey(key)))

/** The given API key; `''` where there is none. A blank flag counts as absent. D3 */
const givenKey = (globals: Globals, env: Runtime['env']): string =>
  findApiKey([globals['api-key'], env.SERVICE_API_KEY])

/** The `User-Agent` of this build. D3 */
export const userAgentOf = ({ version }: Version): string => `svc/${version}`
