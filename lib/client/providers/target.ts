import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import type { Runtime } from '../../runtime/runtime'

/** The names of the providers in the table. */
export const providerNames = [
  ...(['typesafe', 'openai', 'gemini', 'openrouter', 'fireworks', 'perplexity'] as const),
  ...(['vercel', 'venice', 'litellm', 'ollama', 'llama.cpp', 'vllm'] as const),
] as const

/** The name of a provider. */
export type ProviderName = (typeof providerNames)[number]

/** A setting, and the flag or variable it comes from. */
export interface Setting {
  readonly value: string
  readonly source: string
}

/** The options that decide where calls go, each with the flag or member that gave it. An empty value counts as absent. */
export interface GivenSettings {
  readonly provider?: Setting | undefined
  readonly dialect?: Setting | undefined
  readonly address?: Setting | undefined
  readonly key?: Setting | undefined
  readonly model?: Setting | undefined
}

/** What options and environment say about where calls go, before any of it is checked. */
export interface Target {
  readonly provider: Setting | undefined
  readonly dialect: Setting | undefined
  /** The address given as an option, or `SERVICE_BASE_URL`. */
  readonly address: Setting | undefined
  /** The model given as an option, or `SERVICE_DEFAULT_MODEL`. */
  readonly model: Setting | undefined
  /** The key given as an option; a blank one counts as absent. */
  readonly key: Setting | undefined
  /** The option that takes an address. Messages name it. */
  readonly addressOption: string
  /** Whether the variables `SERVICE_…` are meant for this call. */
  readonly readsService: boolean
}

/**
 * Chooses between options and variables. A provider given as an option, and an address given beside `SERVICE_PROVIDER`,
 * leave the variables unread that were set for another service.
 */
export const chooseTarget = (given: GivenSettings, env: Runtime['env']): Target => {
  const dropEmpty = (setting: Setting | undefined) => (setting?.value ? setting : undefined)
  const provider = dropEmpty(given.provider)
  const address = dropEmpty(given.address)
  const readsService = provider === undefined && !(address !== undefined && env.SERVICE_PROVIDER)
  const readVariable = (name: string): Setting | undefined => {
    const value = readsService ? env[name] : undefined
    return value ? { value, source: name } : undefined
  }
  return {
    provider: provider ?? readVariable('SERVICE_PROVIDER'),
    // A dialect in the environment belongs to the address in the environment.
    dialect:
      dropEmpty(given.dialect) ??
      (address === undefined ? readVariable('SERVICE_DIALECT') : undefined),
    address: address ?? readVariable('SERVICE_BASE_URL'),
    model: dropEmpty(given.model) ?? readVariable('SERVICE_DEFAULT_MODEL'),
    key: given.key?.value.trim() ? given.key : undefined,
    addressOption: '--base-url',
    readsService,
  }
}

/** What else a message says about a provider that svc does not know. */
export const explainUnknownProvider = (name: string): string =>
  suggest(name, providerNames) ||
  '; for a service that only chats: svc serve --engine openai --engine-url <url>'

/** The name among `names` that a setting gives. Fails with a usage error for any other. */
export const chooseName = <N extends string>(
  { value, source }: Setting,
  names: ReadonlyArray<N>,
  explain = (_value: string): string => '',
): E.Either<Failure, N> => {
  const name = names.find((one) => one === value)
  return name === undefined
    ? E.left(usage(`${source} must be one of ${names.join(', ')}, got ${value}${explain(value)}`))
    : E.right(name)
}

/** Chooses the name of a setting that may be absent, as `chooseName` does. */
export const chooseOptional = <N extends string>(
  setting: Setting | undefined,
  names: ReadonlyArray<N>,
): E.Either<Failure, N | undefined> =>
  setting === undefined ? E.right(undefined) : chooseName(setting, names)
