import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { Runtime } from '../../runtime/runtime'
import { Secret } from '../../text/secret'
import { type Dialect, type DialectName, dialectNames, type KeyHeader } from '../dialects/dialect'
import { dialectForm, type ServiceForm } from '../dialects/service-form'
import { findAddress, listKeyVariables } from './address'
import { checkAddress, defaultSubject } from './check-address'
import {
  checkName,
  type DestinationSettings,
  loadProvider,
  type Setting,
} from './destination-settings'
import { createEndpoints, type Endpoint } from './endpoints'
import type { EngineFacts, Provider } from './provider'

/** The service that calls go to, with its endpoints, dialect, key and default model. */
export interface Destination {
  /** The name of the service in messages: that of the provider, or of the dialect if no provider is chosen. */
  readonly service: string
  /** The name of the provider, which begins the messages of failed calls; `undefined` if none is chosen. */
  readonly providerName?: string | undefined
  readonly dialect: Dialect
  readonly ask: Endpoint
  readonly models: Endpoint
  /** `undefined` if calls are sent without a key. */
  readonly key: Secret | undefined
  readonly keyHeader: KeyHeader
  /** The response header with the request id; `''` if the service has none. */
  readonly requestIdHeader: string
  /** The model of requests without one; `undefined` if there is no default. */
  readonly model: string | undefined
  /** Set if an engine in this process answers. Requests then name no model, because the engine has only one. */
  readonly engine?: EngineDestination | undefined
  /** The address that calls leave this process for; `undefined` if an engine answers that asks no server. */
  readonly networkUrl: string | undefined
  /** True if the service runs on this machine. It may have to load its model first, so attempts get more time. */
  readonly isLocal?: boolean
  /** Advice on how to name a model, for a service without a default model. */
  readonly modelHint: string
  /** The differences between its requests and responses and those of the dialect. */
  readonly form: ServiceForm
  /** False if svc knows of no list of models. */
  readonly hasModelList: boolean
  /** True if requests with images need TypeSafe's header for them. */
  readonly needsImagesHeader: boolean
  /** The maximum number of questions in a request; `undefined` if there is no known limit. */
  readonly maxQuestions?: number | undefined
  /** The maximum size of a request in bytes; `undefined` if there is no known limit. */
  readonly maxBytes?: number | undefined
  /** True if the service reads all questions of a request together, so that one can change the answers to another. */
  readonly decidesJointly?: boolean
}

/** An engine in this process, and the settings for it. */
export interface EngineDestination extends EngineFacts {
  /** The base address of the server that it asks; `undefined` if it asks none. */
  readonly address: Setting | undefined
  /** The model that the user has set. */
  readonly model: Setting | undefined
}

/** A destination before its key is chosen, with the sources of its settings. */
export interface DestinationWithoutKey extends Omit<Destination, 'key'> {
  /** Describes the provider in one line; `undefined` if none is chosen. */
  readonly summary: string | undefined
  readonly settings: {
    readonly provider: Setting | undefined
    readonly dialect: Setting
    readonly address: Setting
    readonly model: Setting | undefined
  }
  /** The variables that may have the key, in the order in which they are read. */
  readonly keyVariables: ReadonlyArray<string>
  readonly needsKey: boolean
}

/** Returns the key for a service; `undefined` if none is sent. Fails if the key is invalid, or missing although the service needs one. */
type ChooseKey = (destination: DestinationWithoutKey) => E.Either<Failure, Secret | undefined>

/**
 * Resolves where calls go, without the key. Loads only the provider and the dialect that the settings name. Fails with a usage
 * error for an invalid provider, dialect or address.
 */
export const resolveWithoutKey = async (
  settings: DestinationSettings,
  env: Runtime['env'],
): Promise<E.Either<Failure, DestinationWithoutKey>> => {
  const provider = await loadProvider(settings)
  if (E.isLeft(provider)) return provider
  const dialectName = chooseDialect(settings, provider.right)
  if (E.isLeft(dialectName)) return dialectName
  const dialect = await loadDialect(dialectName.right)
  return assembleDestination(settings, provider.right, dialect, env)
}

/**
 * Resolves where calls go and with which key. Fails with a usage error for an invalid provider, dialect or address, or with the failure
 * of `chooseKey`.
 */
export const resolveDestination = async (
  settings: DestinationSettings,
  env: Runtime['env'],
  chooseKey: ChooseKey,
): Promise<E.Either<Failure, DestinationWithoutKey & Destination>> => {
  const resolved = await resolveWithoutKey(settings, env)
  if (E.isLeft(resolved)) return resolved
  const key = chooseKey(resolved.right)
  return E.isLeft(key) ? key : E.right({ ...resolved.right, key: key.right })
}

/**
 * Chooses the dialect: that of the settings, else the first of the provider, else `questions`. Fails with a usage error if the
 * dialect is unknown, or if the provider does not support it.
 */
export const chooseDialect = (
  settings: DestinationSettings,
  provider: Provider | undefined,
): E.Either<Failure, DialectName> => {
  const supportedNames = provider?.dialects.map(({ name }) => name)
  if (settings.dialect === undefined) return E.right(supportedNames?.[0] ?? 'questions')
  const checked = checkName(settings.dialect, dialectNames)
  if (E.isLeft(checked) || !supportedNames || supportedNames.includes(checked.right)) return checked
  const { source } = settings.dialect
  const providerName = settings.provider?.value
  const list = supportedNames.join(', ')
  return E.left(usage(`${source}: ${providerName} supports ${list}, not ${checked.right}`))
}

/** Loads a dialect on first use, because loading all of them would slow down the start of a call. */
export const loadDialect = async (name: DialectName): Promise<Dialect> => {
  switch (name) {
    case 'questions':
      return (await import('../dialects/questions')).questionsDialect
    case 'systemone':
      return (await import('../dialects/systemone')).systemoneDialect
    case 'decisions':
      return (await import('../dialects/decisions')).decisionsDialect
    case 'gemini':
      return (await import('../dialects/gemini')).geminiDialect
  }
}

/**
 * Assembles a destination from settings, provider and dialect, and finds its address. Fails with a usage error if the address is
 * missing or invalid.
 */
export const assembleDestination = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  dialect: Dialect,
  env: Runtime['env'],
): E.Either<Failure, DestinationWithoutKey> => {
  const address = checkAddress(settings, provider, findAddress(settings, provider, env))
  if (E.isLeft(address)) return address
  const model = chooseDefaultModel(settings, provider, dialect)
  if (E.isLeft(model)) return model
  const engine = provider?.engine && {
    ...provider.engine,
    address: provider.engine.asksServer ? address.right : undefined,
    model: settings.model,
  }
  // Nothing listens at the address of an engine. It names the engine in messages: `chat:/v1/questions`.
  const callAddress = engine === undefined ? address.right.value : `${engine.name}:`
  const endpoints = createEndpoints(settings, provider, callAddress, dialect)
  return E.right({
    service: settings.provider?.value ?? dialect.name,
    providerName: settings.provider?.value,
    summary: provider?.summary,
    dialect,
    ...endpoints,
    engine,
    networkUrl: engine === undefined ? endpoints.ask.url : engine.address?.value,
    keyHeader: provider?.keyHeader ?? dialect.keyHeader,
    requestIdHeader: provider?.requestIdHeader ?? dialect.requestIdHeader,
    model: engine === undefined ? model.right?.value : dialect.defaultModel,
    ...selectServiceFacts(provider),
    maxQuestions: findMaxQuestions(provider, dialect),
    maxBytes: provider?.maxBytes,
    decidesJointly: provider?.decidesJointly ?? false,
    settings: {
      provider: settings.provider,
      dialect: settings.dialect ?? { value: dialect.name, source: 'default' },
      address: address.right,
      model: model.right,
    },
    keyVariables: listKeyVariables(settings, provider, address.right),
  })
}

/** Finds the maximum number of questions in a request: that of the provider for the dialect, of the provider, or of the dialect. */
const findMaxQuestions = (provider: Provider | undefined, dialect: Dialect): number | undefined =>
  provider?.dialects.find(({ name }) => name === dialect.name)?.maxQuestions ??
  provider?.maxQuestions ??
  dialect.maxQuestions

type ServiceFacts = Pick<
  DestinationWithoutKey,
  'isLocal' | 'modelHint' | 'form' | 'hasModelList' | 'needsImagesHeader' | 'needsKey'
>

/** The facts that svc assumes about a service if no provider is chosen. */
const unknownService: ServiceFacts = {
  isLocal: false,
  modelHint: 'pass --model',
  form: dialectForm,
  hasModelList: true,
  needsImagesHeader: false,
  needsKey: true,
}

const selectServiceFacts = (provider: Provider | undefined): ServiceFacts => {
  if (provider === undefined) return unknownService
  return {
    isLocal: provider.isLocal ?? false,
    modelHint: provider.modelHint ?? unknownService.modelHint,
    form: {
      images: provider.images ?? 'none',
      modelPlace: provider.modelPlace ?? 'body',
      responseMember: provider.responseMember,
      noulMember: provider.noulMember,
    },
    hasModelList: provider.hasModelList ?? true,
    needsImagesHeader: provider.needsImagesHeader ?? false,
    needsKey: provider.needsKey,
  }
}

/**
 * Chooses the model of requests without one: that of the settings, else the default of the provider or dialect, which may be none. Fails
 * with a usage error if the settings name a model and the provider has no choice.
 */
const chooseDefaultModel = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  dialect: Dialect,
): E.Either<Failure, Setting | undefined> => {
  const { model } = settings
  if (model !== undefined && provider?.modelPlace === 'none')
    return E.left(
      usage(`${model.source}: ${settings.provider?.value} has no choice of models: leave it out`),
    )
  const { defaultModel } = provider ?? dialect
  const tableModel = defaultModel ? { value: defaultModel, source: 'default' } : undefined
  return E.right(model ?? tableModel)
}

/** The maximum length of a key in characters. Each character takes one byte in a header. */
const maxKeyLength = 8 << 10

/**
 * Describes why a key cannot be sent, as the end of a sentence that begins with the key: `is longer than 8 KiB`. `undefined` if the
 * key can be sent. The description does not repeat the key.
 */
export const describeKeyFault = (key: string): string | undefined => {
  if (key.length > maxKeyLength) return 'is longer than 8 KiB'
  // Headers can carry the printable characters of ISO 8859-1.
  const hasInvalidCharacter = /[^\u0020-\u007e\u00a0-\u00ff]/.test(key)
  return hasInvalidCharacter ? 'has characters that a header cannot carry' : undefined
}

/**
 * Checks an API key and wraps it so that it is never printed. Fails with a usage error, which does not repeat the key,
 * if it is missing, too long, or has characters that an HTTP header cannot carry. The message begins with `service`, the name of the
 * provider if one is chosen.
 */
export const parseApiKey = (key: string, service = defaultSubject): E.Either<Failure, Secret> => {
  if (key === '')
    return E.left(
      usage(`${service}: API key is required: pass WithAPIKey or set TYPESAFE_API_KEY`, 'key'),
    )
  const fault = describeKeyFault(key)
  return fault === undefined
    ? E.right(new Secret(key))
    : E.left(usage(`${service}: invalid API key: it ${fault}`))
}
