import { setMaxListeners } from 'node:events'
import * as E from 'fp-ts/Either'
import { version } from '../../package.json'
import type { ServiceClient } from '../client/call/client'
import { createClientHeaders } from '../client/call/encode-call'
import { decisionsDialect } from '../client/dialects/decisions'
import type { Dialect, DialectName } from '../client/dialects/dialect'
import { geminiDialect } from '../client/dialects/gemini'
import { questionsDialect } from '../client/dialects/questions'
import { systemoneDialect } from '../client/dialects/systemone'
import {
  assembleDestination,
  chooseDialect,
  type Destination,
  type DestinationWithoutKey,
  parseApiKey,
} from '../client/providers/destination'
import {
  checkOptionalName,
  type DestinationSettings,
  type Setting,
} from '../client/providers/destination-settings'
import { type ServiceName, serviceNames } from '../client/providers/provider-names'
import { providers } from '../client/providers/table'
import { type Failure, usage } from '../failure/failure'
import { createFetch } from '../runtime/http/fetch'
import { isLoopback } from '../runtime/http/loopback'
import { adaptWebFetch, type WebFetch } from '../runtime/http/web-fetch'
import { nodeClock } from '../runtime/node/clock'
import { createRedact, type Secret } from '../text/secret'
import { suggest } from '../text/suggestion'
import { type Refusals, withAnswerChecks } from './answers'
import { explainOnWorkers } from './explain-fetch'
import type { Images } from './images'

/** The options of a client. Nothing is read from the environment. */
export interface ClientOptions<R extends Refusals = Refusals> {
  /** The service. Without `provider` and `baseUrl`, it is `svc serve` on this machine. */
  readonly provider?: ServiceName
  /** The address of a service, such as a proxy in front of a provider's. */
  readonly baseUrl?: string
  /** The format of requests and answers. Default: that of the provider, else `questions`. */
  readonly dialect?: DialectName
  /** The key. A service at an address of this machine needs none. */
  readonly apiKey?: string
  /** The model for requests without a model of their own. Most providers have a default. */
  readonly model?: string
  /** The time limit of each attempt in milliseconds, 10,000 by default; 0 for none. */
  readonly timeout?: number
  /** The maximum number of retries of a failed request, 2 by default. */
  readonly maxRetries?: number
  /** Makes the HTTP requests instead of Node's own client, for instance through a proxy. Cookies of responses are ignored. */
  readonly fetch?: WebFetch
  /** Aborts every call of the client. */
  readonly signal?: AbortSignal
  /** With `throw`, `ask` throws if the service refuses a question, and answers have no type `Refusal`. */
  readonly refusals?: R
}

/** The option names of a client, as keys, so that the compiler refuses a missing name. */
const clientOptionNames: Readonly<Record<keyof ClientOptions, true>> = {
  provider: true,
  baseUrl: true,
  dialect: true,
  apiKey: true,
  model: true,
  timeout: true,
  maxRetries: true,
  fetch: true,
  signal: true,
  refusals: true,
}

/** The settings of a single call. They override those of the client; a signal adds to the client's. */
export interface CallOptions {
  readonly model?: string
  readonly timeout?: number
  readonly maxRetries?: number
  readonly signal?: AbortSignal
}

/** The settings of a single call of `ask`: those of every call, and images. */
export interface AskOptions extends CallOptions {
  /** At most 20 images, with 16 MiB in total. The state sent is `{ text: <the state>, <name>: '<name>', … }`. */
  readonly images?: Images
}

/** The option names of every call, also as keys. */
export const callOptionNames: Readonly<Record<keyof CallOptions, true>> = {
  model: true,
  timeout: true,
  maxRetries: true,
  signal: true,
}

/** The option names of `ask`, also as keys. */
export const askOptionNames: Readonly<Record<keyof AskOptions, true>> = {
  ...callOptionNames,
  images: true,
}

/** Fails with a usage error for an option that is not a key of `names`, which a JavaScript caller can pass. */
export const checkOptionNames = (
  options: object,
  names: Readonly<Record<string, true>>,
): E.Either<Failure, void> => {
  const known = Object.keys(names)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  return unknown === undefined
    ? E.right(undefined)
    : E.left(usage(`unknown option "${unknown}"${suggest(unknown, known)}`))
}

const dialects: Readonly<Record<DialectName, Dialect>> = {
  questions: questionsDialect,
  systemone: systemoneDialect,
  decisions: decisionsDialect,
  gemini: geminiDialect,
}

/** Checks the options of a client and prepares its calls. Fails with a usage error. */
export const prepareClient = (options: ClientOptions): E.Either<Failure, ServiceClient> => {
  const knownOptions = checkOptionNames(options, clientOptionNames)
  if (E.isLeft(knownOptions)) return knownOptions
  if (![undefined, 'return', 'throw'].includes(options.refusals))
    return E.left(usage('refusals must be "return" or "throw"'))
  const resolved = resolveDestination(options)
  if (E.isLeft(resolved)) return resolved
  const limits = parseCallLimits(options)
  if (E.isLeft(limits)) return limits
  const destination = resolved.right
  const { key } = destination
  return E.right({
    destination,
    ...limits.right,
    runtime: {
      // An empty environment names no proxy.
      fetch:
        options.fetch === undefined
          ? explainOnWorkers(createFetch({}))
          : adaptWebFetch(options.fetch),
      clock: nodeClock,
      random: Math.random,
    },
    headers: createClientHeaders(destination, `typed-questions/${version}`),
    redact: createRedact(key === undefined ? [] : [key.reveal()]),
    signal: options.signal && joinSignals(options.signal),
  })
}

/**
 * Joins signals: the result aborts as soon as one of the signals does, with the same reason. Each call in
 * flight adds a listener to the result, so the result may have any number of them. By default Node warns of a leak from eleven on.
 */
export const joinSignals = (...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal => {
  const joined = AbortSignal.any(signals.filter((signal) => signal !== undefined))
  setMaxListeners(0, joined)
  return joined
}

/** Chooses the service and its dialect. Fails with a usage error. */
const resolveDestination = (options: ClientOptions): E.Either<Failure, Destination> => {
  const createSetting = (
    source: 'provider' | 'dialect' | 'baseUrl' | 'model',
  ): Setting | undefined => {
    const value = options[source]
    // An empty option counts as missing.
    return value ? { value, source } : undefined
  }
  const settings: DestinationSettings = {
    provider: createSetting('provider'),
    dialect: createSetting('dialect'),
    address: createSetting('baseUrl'),
    model: createSetting('model'),
    // The key is parsed later, when the service is known.
    key: undefined,
    // The name of the option for the address, in messages about it.
    addressOption: 'baseUrl',
    dialectOption: "dialect: 'systemone' or dialect: 'decisions'",
    // The variables `SERVICE_…` have no effect, because the library does not read the environment.
    usesServiceVariables: false,
    ignoredVariables: 'all',
  }
  const providerName = checkOptionalName(settings.provider, serviceNames)
  if (E.isLeft(providerName)) return providerName
  const provider = providerName.right && providers[providerName.right]
  const dialectName = chooseDialect(settings, provider)
  if (E.isLeft(dialectName)) return dialectName
  // `{}` is an empty environment, because the library does not read variables.
  const withoutKey = assembleDestination(settings, provider, dialects[dialectName.right], {})
  if (E.isLeft(withoutKey)) return withoutKey
  const key = parseKeyOption(options, withoutKey.right)
  if (E.isLeft(key)) return key
  return E.right({
    ...withoutKey.right,
    key: key.right,
    dialect: withAnswerChecks(withoutKey.right.dialect),
    // The advice in the message about a request without a model.
    modelHint: 'pass a model',
  })
}

/**
 * Parses the option `apiKey`. Returns `undefined` if it is missing, and the service needs no key or its address is one of this machine.
 */
const parseKeyOption = (
  { apiKey, provider }: ClientOptions,
  { needsKey, ask }: DestinationWithoutKey,
): E.Either<Failure, Secret | undefined> => {
  const key = apiKey?.trim() ?? ''
  if (key !== '') return parseApiKey(key)
  const { hostname } = new URL(ask.url)
  if (!needsKey || isLoopback(hostname)) return E.right(undefined)
  const service = provider ?? new URL(ask.url).origin
  return E.left(usage(`no API key for ${service}: pass apiKey`, 'key'))
}

const defaultTimeoutNs = 10_000_000_000n

/** The limits of a call. The timeout is in nanoseconds. */
type CallLimits = Pick<ServiceClient, 'timeout' | 'maxRetries'>

/** Parses the limits of a call. A missing limit is that of `defaults`. Fails with a usage error. */
export const parseCallLimits = (
  { timeout, maxRetries }: CallOptions,
  defaults: CallLimits = { timeout: defaultTimeoutNs, maxRetries: 2 },
): E.Either<Failure, CallLimits> => {
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout >= 0))
    return E.left(usage(`timeout must be a number of milliseconds from 0 on, got ${timeout}`))
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && maxRetries >= 0))
    return E.left(usage(`maxRetries must be a whole number from 0 on, got ${maxRetries}`))
  return E.right({
    // The option is in milliseconds, and the limit in nanoseconds.
    timeout: timeout === undefined ? defaults.timeout : BigInt(Math.round(timeout * 1e6)),
    maxRetries: maxRetries ?? defaults.maxRetries,
  })
}
