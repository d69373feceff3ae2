import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ObservedClient } from '../client/call/env'
import { prepareHeaders } from '../client/call/headers'
import { parseApiKey } from '../client/providers/api-key'
import type { Place, Route } from '../client/providers/place'
import { resolvePlace } from '../client/providers/resolve-place'
import { type Failure, usage } from '../failure/failure'
import { createRedact } from '../failure/text/redact'
import { Secret } from '../failure/text/secret'
import type { Version } from '../runtime/build'
import { chooseProxy } from '../runtime/http/proxy-choice'
import { createLogger, type LogFormat, type Logger, warnOfPlainHttp } from '../tracing/log'
import type { Context } from './declaration'
import type { Flags } from './flags'

/** The part of a command's context that its client uses. */
export type ClientContext = Pick<
  Context<Flags>,
  'runtime' | 'build' | 'tracer' | 'target' | 'key' | 'globals' | 'level'
>

/** Creates the client of a command. Fails as `findPlace` does. */
export const createCommandClient = (
  context: ClientContext,
): TE.TaskEither<Failure, ObservedClient> =>
  pipe(
    findPlace(context),
    TE.map((place) => createClientAt(context, place)),
  )

/** Creates the client of a command for this place. It logs to stderr. */
export const createClientAt = (context: ClientContext, place: Place): ObservedClient => {
  const { runtime, build, tracer, key, globals } = context
  const log = createCommandLogger(context)
  if (place.key !== undefined) warnOfPlainHttp(log, 'API', new URL(place.ask.url))
  if (key.readableByOthers !== undefined)
    log.warning('others can read the file with the API key', { file: key.readableByOthers })
  return {
    ...{ runtime, place, tracer, log, signal: runtime.signal },
    headers: prepareHeaders(place, userAgentOf(build)),
    redact: createRedact(place.key === undefined ? [] : [place.key.reveal()]),
    timeout: globals.timeout ?? (place.isLocal ? localTimeout : usualTimeout),
    isTimeoutFinal: place.isLocal === true,
    maxRetries: globals['max-retries'],
  }
}

/** The time limit of an attempt, unless `--timeout` is given: ten seconds, in nanoseconds. */
const usualTimeout = 10_000_000_000n

/** The same for a service on this machine, which may have to load its model first: two minutes. */
const localTimeout = 120_000_000_000n

/** Creates the logger of a command, which writes to stderr. */
export const createCommandLogger = (
  { runtime, level }: Pick<ClientContext, 'runtime' | 'level'>,
  format: LogFormat = 'logfmt',
): Logger => {
  const write = (line: string): void => {
    // Nobody can be told that stderr is closed.
    runtime.stderr.write(line).catch(() => undefined)
  }
  return createLogger(level, runtime.clock, write, format)
}

/**
 * Resolves where the calls of a command go, with the key. Fails with a usage error for provider, dialect or
 * address, then for the key, then where the environment names no usable proxy.
 */
export const findPlace = (context: ClientContext): TE.TaskEither<Failure, Place> => {
  const { env } = context.runtime
  return pipe(
    resolvePlace({ ...context.target, chooseKey: (route) => readKey(context, route) }, env),
    TE.chainFirstEitherK(({ ask }) => pipe(chooseProxy(env, new URL(ask.url)), E.mapLeft(usage))),
  )
}

/** Resolves the place for a dry run, where the key may be missing. */
export const findDryRunPlace = (context: ClientContext): TE.TaskEither<Failure, Place> =>
  resolvePlace(
    {
      ...context.target,
      chooseKey: (route) => {
        const given = findGivenKey(context)
        if (given !== '') return parseApiKey(given, route.provider)
        return E.right(route.needsKey ? new Secret('') : undefined)
      },
    },
    context.runtime.env,
  )

/** The key of `--api-key`, else the one found in the environment; `''` where there is none. */
const findGivenKey = ({ target, key }: Pick<ClientContext, 'target' | 'key'>): string =>
  (target.key ?? key.key)?.value.trim() ?? ''

/** Chooses the key of a place. Fails with a usage error where one is needed and missing. */
export const readKey = (
  context: ClientContext,
  route: Route,
): E.Either<Failure, Secret | undefined> => {
  const given = findGivenKey(context)
  if (given !== '') return parseApiKey(given, route.provider)
  if (context.key.failure !== undefined) return E.left(context.key.failure)
  if (!route.needsKey) return E.right(undefined)
  if (route.settings.provider === undefined) return parseApiKey('')
  const variable = route.keyVariables.findLast((name) => !name.endsWith('_FILE'))
  const way = variable === undefined ? 'pass --api-key' : `set ${variable} or pass --api-key`
  return E.left(usage(`no API key for ${route.service}: ${way}`, 'key of provider'))
}

/** The `User-Agent` of this build. */
export const userAgentOf = ({ version }: Version): string => `svc/${version}`
