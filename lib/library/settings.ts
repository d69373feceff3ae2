import { setMaxListeners } from 'node:events'
import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { version } from '../../package.json'
import type { ServiceClient } from '../client/call/call-context'
import { prepareHeaders } from '../client/call/headers'
import { decisionsDialect } from '../client/dialects/decisions'
import type { Dialect, DialectName } from '../client/dialects/dialect'
import { geminiDialect } from '../client/dialects/gemini'
import { questionsDialect } from '../client/dialects/questions'
import { systemoneDialect } from '../client/dialects/systemone'
import { parseApiKey } from '../client/providers/api-key'
import { chooseDialect, type Destination, type Route } from '../client/providers/destination'
import {
  type DestinationOptions,
  resolveLoadedDestination,
} from '../client/providers/resolve-destination'
import { providers } from '../client/providers/table'
import {
  chooseOptional,
  type ProviderName,
  providerNames,
  type Setting,
} from '../client/providers/target'
import { type Failure, usage } from '../failure/failure'
import { suggest } from '../failure/suggestion'
import { createRedact } from '../failure/text/redact'
import type { Secret } from '../failure/text/secret'
import { createFetch } from '../runtime/http/fetch'
import { adaptWebFetch, type WebFetch } from '../runtime/http/web-fetch'
import { nodeClock } from '../runtime/node/clock'
import { holdToQuestions, type Refusals } from './answers'
import type { Images } from './images'

/** The service that a client asks, and how. Nothing is read from the environment. */
export interface ClientOptions<R extends Refusals = Refusals> {
  /** The service. If you pass neither this nor `baseUrl`, it is `svc serve` on this machine. */
  readonly provider?: ProviderName
  /** The address of a service, such as a proxy in front of a provider's. */
  readonly baseUrl?: string
  /** The form of requests and answers: that of the provider, or `questions`. */
  readonly dialect?: DialectName
  /** The key. Services on your own machine need none. */
  readonly apiKey?: string
  /** The model for requests that name none. Most providers have a default. */
  readonly model?: string
  /** The time limit of each attempt in milliseconds, 10,000 by default; 0 for none. */
  readonly timeout?: number
  /** How often a failed request is repeated at most, 2 by default. */
  readonly maxRetries?: number
  /** Makes the HTTP requests instead of Node's own client, for instance through a proxy. Cookies are not kept. */
  readonly fetch?: WebFetch
  /** Aborts every call of the client. */
  readonly signal?: AbortSignal
  /** With `throw`, `ask` throws if the service refuses a question, and the types of answers have no `Refusal`. */
  readonly refusals?: R
}

const clientNames: Readonly<Record<keyof ClientOptions, true>> = {
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

/** The settings of a single call. They override those of the client. */
export interface CallOptions {
  readonly model?: string
  readonly timeout?: number
  readonly maxRetries?: number
  readonly signal?: AbortSignal
}

/** The settings of a single question call: those of every call, and images. */
export interface AskOptions extends CallOptions {
  /** At most 20 images, of 16 MiB together. The state that is sent is `{ text: <the state>, <name>: '<name>', … }`. */
  readonly images?: Images
}

/** Options by name. The compiler checks that the table has them all. */
export const callNames: Readonly<Record<keyof CallOptions, true>> = {
  model: true,
  timeout: true,
  maxRetries: true,
  signal: true,
}

/** The options of `ask` by name. */
export const askNames: Readonly<Record<keyof AskOptions, true>> = { ...callNames, images: true }

/** Refuses options that do not exist, which programs in JavaScript may pass. Fails with a usage error. */
export const checkNames = (
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
export const prepareClient = (options: ClientOptions): E.Either<Failure, ServiceClient> =>
  pipe(
    checkNames(options, clientNames),
    E.chain(() => checkRefusals(options.refusals)),
    E.bind('destination', () => findDestination(options)),
    E.bind('limits', () => readLimits(options)),
    E.map(({ destination, limits }) => ({
      destination,
      ...limits,
      runtime: {
        fetch: options.fetch === undefined ? createFetch({}) : adaptWebFetch(options.fetch),
        clock: nodeClock,
        random: Math.random,
      },
      headers: prepareHeaders(destination, `typed-questions/${version}`),
      redact: createRedact(destination.key === undefined ? [] : [destination.key.reveal()]),
      signal: options.signal && joinSignals(options.signal),
    })),
  )

const checkRefusals = (refusals: unknown): E.Either<Failure, object> =>
  refusals === undefined || refusals === 'return' || refusals === 'throw'
    ? E.right({})
    : E.left(usage('refusals must be "return" or "throw"'))

/**
 * Joins signals: the result fires when one of them does, for the same reason. Node 20 prints a warning of a leak
 * if a signal has more than ten listeners, and each call in flight is one. The result may have any number.
 */
export const joinSignals = (...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal => {
  const joined = AbortSignal.any(signals.filter((signal) => signal !== undefined))
  setMaxListeners(0, joined)
  return joined
}

const findDestination = (options: ClientOptions): E.Either<Failure, Destination> => {
  const setting = (source: 'provider' | 'dialect' | 'baseUrl' | 'model'): Setting | undefined => {
    const value = options[source]
    return value ? { value, source } : undefined
  }
  const target: DestinationOptions = {
    provider: setting('provider'),
    dialect: setting('dialect'),
    address: setting('baseUrl'),
    model: setting('model'),
    key: undefined,
    addressOption: 'baseUrl',
    readsService: false,
    chooseKey: (route) => checkKey(options, route),
  }
  const name = chooseOptional(target.provider, providerNames)
  if (E.isLeft(name)) return name
  const provider = name.right && providers[name.right]
  const dialect = chooseDialect(target, provider)
  if (E.isLeft(dialect)) return dialect
  const destination = resolveLoadedDestination(target, provider, dialects[dialect.right], {})
  if (E.isLeft(destination)) return destination
  return E.right({
    ...destination.right,
    dialect: holdToQuestions(destination.right.dialect),
    modelHint: 'pass a model',
  })
}

const checkKey = (
  { apiKey, provider, baseUrl }: ClientOptions,
  route: Route,
): E.Either<Failure, Secret | undefined> => {
  const given = apiKey?.trim() ?? ''
  if (given !== '') return parseApiKey(given)
  if (!route.needsKey) return E.right(undefined)
  const other = provider || baseUrl ? '' : ', and provider or baseUrl to ask another service'
  const service = provider ?? new URL(route.ask.url).origin
  return E.left(usage(`no API key for ${service}: pass apiKey${other}`, 'key'))
}

type Limits = Pick<ServiceClient, 'timeout' | 'maxRetries'>

/** Checks the limits of calls; without them, those of `usual`. Fails with a usage error. */
export const readLimits = (
  { timeout, maxRetries }: CallOptions,
  usual: Limits = { timeout: 10_000_000_000n, maxRetries: 2 },
): E.Either<Failure, Limits> => {
  if (timeout !== undefined && !(timeout >= 0 && Number.isFinite(timeout)))
    return E.left(usage(`timeout must be a number of milliseconds from 0 on, got ${timeout}`))
  if (maxRetries !== undefined && !(maxRetries >= 0 && Number.isInteger(maxRetries)))
    return E.left(usage(`maxRetries must be a whole number from 0 on, got ${maxRetries}`))
  return E.right({
    timeout: timeout === undefined ? usual.timeout : BigInt(Math.round(timeout * 1e6)),
    maxRetries: maxRetries ?? usual.maxRetries,
  })
}
