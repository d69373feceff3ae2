import * as E from 'fp-ts/Either'
import type { ObservedClient } from '../client/call/client'
import { createClientHeaders } from '../client/call/encode-call'
import {
  type Destination,
  type DestinationWithoutKey,
  parseApiKey,
  resolveDestination,
} from '../client/providers/destination'
import { type Failure, usage } from '../failure/failure'
import type { Version } from '../runtime/build'
import { chooseProxy } from '../runtime/http/proxy-choice'
import { createRedact, Secret } from '../text/secret'
import { createLogger, type LogFormat, type Logger, warnOfPlainHttp } from '../tracing/log'
import type { ContextWith } from './declaration'

/** The flags that set up an engine in this process. */
export interface EngineCallFlags {
  readonly 'engine-permutations': number
  readonly 'engine-temperature': number
  readonly 'engine-context': number
  readonly 'engine-threads': number
  readonly 'engine-body': string | undefined
}

/** The name of a flag that sets up an engine in this process. */
export type EngineCallFlag = keyof EngineCallFlags

/** The use that a command makes of an engine. */
export interface EngineUse {
  readonly purpose: 'questions' | 'models'
  /** The model that the request document names. */
  readonly documentModel?: string | undefined
}

/** The part of a command's context that a client is created from. */
export type ClientContext = Pick<
  ContextWith<EngineCallFlags, EngineCallFlag>,
  | 'runtime'
  | 'build'
  | 'tracer'
  | 'destinationSettings'
  | 'environmentKey'
  | 'globals'
  | 'logLevel'
  | 'flags'
  | 'isPassed'
  | 'atEnd'
>

/** The time limit of an attempt without `--timeout`: ten seconds. */
const defaultTimeoutNs = 10_000_000_000n

/** The time limit for a service on this machine, which may have to load its model first: two minutes. */
export const localTimeoutNs = 120_000_000_000n

/** Creates the client for calls to `destination`. It logs to stderr. */
export const createClientAt = (
  context: ClientContext,
  destination: Destination,
): ObservedClient => {
  const { runtime, build, tracer, environmentKey, globals } = context
  const log = createCommandLogger(context)
  // 'API' is the kind of key that the warning names.
  if (destination.key !== undefined && destination.networkUrl !== undefined)
    warnOfPlainHttp(log, 'API', new URL(destination.networkUrl))
  const { pathReadableByOthers: file } = environmentKey
  if (file !== undefined) log.warning('others can read the file with the API key', { file })
  return {
    runtime,
    destination,
    tracer,
    log,
    signal: runtime.signal,
    headers: createClientHeaders(destination, formatUserAgent(build)),
    redact: createRedact(destination.key === undefined ? [] : [destination.key.reveal()]),
    timeout: globals.timeout ?? (destination.isLocal ? localTimeoutNs : defaultTimeoutNs),
    isTimeoutFinal: destination.isLocal === true,
    maxRetries: globals['max-retries'],
  }
}

/** Creates the logger of a command, which writes to stderr. */
export const createCommandLogger = (
  { runtime, logLevel }: Pick<ClientContext, 'runtime' | 'logLevel'>,
  format: LogFormat = 'logfmt',
): Logger => {
  const write = (line: string): void => {
    // A closed stderr is ignored: a command must not fail because of its log.
    runtime.stderr.write(line).catch(() => undefined)
  }
  return createLogger(logLevel, runtime.clock, write, format)
}

/**
 * Resolves where the calls of a command go, and their key. Fails with a usage error if the provider, the dialect or the address
 * is invalid, if the key is missing or invalid, or if the proxy in the environment cannot be used.
 */
export const findDestination = async (
  context: ClientContext,
): Promise<E.Either<Failure, Destination>> => {
  const { env } = context.runtime
  const destination = await resolveDestination(context.destinationSettings, env, (withoutKey) => {
    const refusedFlag = checkEngineFlags(context, withoutKey)
    return E.isLeft(refusedFlag) ? refusedFlag : chooseKey(context, withoutKey)
  })
  if (E.isLeft(destination)) return destination
  const { networkUrl } = destination.right
  if (networkUrl === undefined) return destination
  const proxy = chooseProxy(env, new URL(networkUrl))
  return E.isLeft(proxy) ? E.left(usage(proxy.left)) : destination
}

/** The flags of `EngineCallFlags`. */
const engineCallFlags = [
  'engine-permutations',
  'engine-temperature',
  'engine-context',
  'engine-threads',
  'engine-body',
] as const satisfies ReadonlyArray<EngineCallFlag>

/** Fails with a usage error if a flag for engines is passed, but a service answers. */
export const checkEngineFlags = (
  { isPassed }: Pick<ClientContext, 'isPassed'>,
  { engine }: Pick<Destination, 'engine'>,
): E.Either<Failure, void> => {
  const passed = engine === undefined ? engineCallFlags.find(isPassed) : undefined
  return passed === undefined
    ? E.right(undefined)
    : E.left(
        usage(
          `--${passed} is for engines in this process, such as --provider chat: svc help engines`,
        ),
      )
}

/** Resolves the destination of a dry run, which needs no key. A key that is there must be valid. */
export const findDryRunDestination = (
  context: ClientContext,
): Promise<E.Either<Failure, Destination>> => {
  const { runtime, destinationSettings } = context
  return resolveDestination(destinationSettings, runtime.env, (withoutKey) => {
    const { providerName, needsKey, engine } = withoutKey
    const refusedFlag = checkEngineFlags(context, withoutKey)
    if (E.isLeft(refusedFlag)) return refusedFlag
    // The request of a dry run is that to the engine, which needs no key.
    if (engine !== undefined) return E.right(undefined)
    const key = findKeyText(context)
    if (key !== undefined) return parseApiKey(key, providerName)
    // The request shows the header of a key that a real call would need.
    return E.right(needsKey ? new Secret('') : undefined)
  })
}

/** Returns the key of `--api-key`, otherwise the key in the environment, trimmed. Returns `undefined` if there is none or it is empty. */
const findKeyText = (context: ClientContext): string | undefined =>
  (context.destinationSettings.key ?? context.environmentKey.key)?.value.trim() || undefined

/**
 * Chooses the key for a destination. Fails with a usage error if the key is invalid, if its file cannot be read, or if the service
 * needs a key and there is none.
 */
export const chooseKey = (
  context: ClientContext,
  destination: DestinationWithoutKey,
): E.Either<Failure, Secret | undefined> => {
  const key = findKeyText(context)
  if (key !== undefined) return parseApiKey(key, destination.providerName)
  const { failure } = context.environmentKey
  if (failure !== undefined) return E.left(failure)
  if (!destination.needsKey) return E.right(undefined)
  // An empty key fails with the message for a missing one.
  if (destination.settings.provider === undefined) return parseApiKey('')
  // The provider's own variable comes last. A variable that ends with `_FILE` has the path of a file with the key.
  const variable = destination.keyVariables.findLast((name) => !name.endsWith('_FILE'))
  const advice = variable === undefined ? 'pass --api-key' : `set ${variable} or pass --api-key`
  return E.left(usage(`no API key for ${destination.service}: ${advice}`, 'key of provider'))
}

/** Formats the `User-Agent` header of this build. */
export const formatUserAgent = ({ version }: Version): string => `svc/${version}`
