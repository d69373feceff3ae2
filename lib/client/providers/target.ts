import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import { suggest } from '../../failure/suggestion'
import type { Runtime } from '../../runtime/runtime'

/** The names of the providers in the table. P2 */
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

/** The flags that decide where calls go, as they stand on the command line; empty texts count as absent. */
export interface TargetFlags {
  readonly provider?: string | undefined
  readonly dialect?: string | undefined
  readonly 'base-url'?: string | undefined
  readonly 'api-key'?: string | undefined
  readonly model?: string | undefined
}

/** What command line and environment say about where calls go, before any of it is checked. P3 */
export interface Target {
  readonly provider: Setting | undefined
  readonly dialect: Setting | undefined
  /** `--base-url` or `SERVICE_BASE_URL`. */
  readonly address: Setting | undefined
  /** `--model` or `SERVICE_DEFAULT_MODEL`. */
  readonly model: Setting | undefined
  /** `--api-key`; a blank one counts as absent. D3 */
  readonly key: Setting | undefined
  /** Whether the variables `SERVICE_…` are meant for this call. */
  readonly readsService: boolean
}

/**
 * Chooses between flags and variables. `--provider`, and `--base-url` beside `SERVICE_PROVIDER`, leave the
 * variables unread that were set for another service. P3, P4
 */
export const chooseTarget = (flags: TargetFlags, env: Runtime['env']): Target => {
  const readFlag = (name: keyof TargetFlags): Setting | undefined => {
    const value = flags[name]
    return value ? { value, source: `--${name}` } : undefined
  }
  const [byFlag, address, key] = [readFlag('provider'), readFlag('base-url'), readFlag('api-key')]
  const readsService = byFlag === undefined && !(address !== undefined && env.SERVICE_PROVIDER)
  const readVariable = (name: string): Setting | undefined => {
    const value = readsService ? env[name] : undefined
    return value ? { value, source: name } : undefined
  }
  return {
    provider: byFlag ?? readVariable('SERVICE_PROVIDER'),
    // A dialect in the environment belongs to the address in the environment.
    dialect:
      readFlag('dialect') ?? (address === undefined ? readVariable('SERVICE_DIALECT') : undefined),
    address: address ?? readVariable('SERVICE_BASE_URL'),
    model: readFlag('model') ?? readVariable('SERVICE_DEFAULT_MODEL'),
    key: key === undefined || key.value.trim() === '' ? undefined : key,
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
