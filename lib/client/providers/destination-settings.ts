import * as E from 'fp-ts/Either'
import { type Failure, usage } from '../../failure/failure'
import type { Runtime } from '../../runtime/runtime'
import type { Provider } from './provider'
import { explainUnknownProvider, providerNames } from './provider-names'

/** A value, and where it comes from. */
export interface Setting {
  readonly value: string
  /** For messages: the name of a flag, of a variable or of an option of the library, or `provider` or `default`. */
  readonly source: string
}

/**
 * The settings that a caller passes as flags or options, before the environment is read. An empty value counts as absent, and so
 * does a key of only spaces.
 */
export interface DestinationOptions {
  readonly provider?: Setting | undefined
  readonly dialect?: Setting | undefined
  readonly address?: Setting | undefined
  readonly key?: Setting | undefined
  readonly model?: Setting | undefined
}

/** The settings that decide where calls go, from options and environment. They have not been validated. */
export interface DestinationSettings {
  readonly provider: Setting | undefined
  readonly dialect: Setting | undefined
  /** The base address that an option or `SERVICE_BASE_URL` names. */
  readonly address: Setting | undefined
  /** The model that an option or `SERVICE_DEFAULT_MODEL` names. */
  readonly model: Setting | undefined
  /** The key that an option has. Keys in variables are looked up later. */
  readonly key: Setting | undefined
  /** The name of the option for the address, for messages: `--base-url`, or `baseUrl` in the library. */
  readonly addressOption: string
  /** The option for the dialect, for messages: `--dialect decisions`, or `dialect` in the library. */
  readonly dialectOption: string
  /** True if the variables `SERVICE_…` apply to these calls. */
  readonly usesServiceVariables: boolean
  /** Set if the address variables of providers, such as `OPENAI_BASE_URL`, or no variables at all apply to these calls. */
  readonly ignoredVariables?: 'addresses' | 'all'
}

/**
 * Selects settings from options and from the variables `SERVICE_…`. Options override variables. The variables describe one service,
 * so all of them are ignored if the options choose another. That is so in two cases:
 *
 * - An option names the provider.
 * - An option has the address, and `SERVICE_PROVIDER` is set.
 */
export const selectDestinationSettings = (
  options: DestinationOptions,
  env: Runtime['env'],
): DestinationSettings => {
  const provider = dropEmpty(options.provider)
  const address = dropEmpty(options.address)
  const replacesProviderAddress = address !== undefined && Boolean(env.SERVICE_PROVIDER)
  const usesServiceVariables = provider === undefined && !replacesProviderAddress
  const readVariable = (name: string): Setting | undefined => {
    const value = usesServiceVariables ? env[name] : undefined
    return value ? { value, source: name } : undefined
  }
  // SERVICE_DIALECT is the dialect of SERVICE_BASE_URL, so an address in the options replaces both.
  const variableDialect = address === undefined ? readVariable('SERVICE_DIALECT') : undefined
  return {
    provider: provider ?? readVariable('SERVICE_PROVIDER'),
    dialect: dropEmpty(options.dialect) ?? variableDialect,
    address: address ?? readVariable('SERVICE_BASE_URL'),
    model: dropEmpty(options.model) ?? readVariable('SERVICE_DEFAULT_MODEL'),
    key: options.key?.value.trim() ? options.key : undefined,
    addressOption: '--base-url',
    dialectOption: '--dialect systemone or --dialect decisions',
    usesServiceVariables,
  }
}

const dropEmpty = (setting: Setting | undefined): Setting | undefined =>
  setting?.value ? setting : undefined

/**
 * Checks that a setting has one of the names in `names`. Fails with a usage error, to which `explain` adds advice on the invalid
 * value.
 */
export const checkName = <N extends string>(
  { value, source }: Setting,
  names: ReadonlyArray<N>,
  explain = (_value: string): string => '',
): E.Either<Failure, N> => {
  const name = names.find((known) => known === value)
  return name === undefined
    ? E.left(usage(`${source} must be one of ${names.join(', ')}, got ${value}${explain(value)}`))
    : E.right(name)
}

/** Checks the name of a setting that may be absent. Fails like `checkName`. */
export const checkOptionalName = <N extends string>(
  setting: Setting | undefined,
  names: ReadonlyArray<N>,
): E.Either<Failure, N | undefined> =>
  setting === undefined ? E.right(undefined) : checkName(setting, names)

/**
 * Loads the provider that the settings name; `undefined` if they name none. Fails with a usage error for an unknown name. It
 * imports the table only if a name is set, because every command calls this function at its start, even if it needs no provider.
 */
export const loadProvider = async (
  settings: Pick<DestinationSettings, 'provider'>,
): Promise<E.Either<Failure, Provider | undefined>> => {
  if (settings.provider === undefined) return E.right(undefined)
  const name = checkName(settings.provider, providerNames, explainUnknownProvider)
  if (E.isLeft(name)) return name
  const { providers } = await import('./table')
  return E.right(providers[name.right])
}
