import type { Runtime } from '../../runtime/runtime'
import type { DestinationSettings, Setting } from './destination-settings'
import { parseOllamaHost } from './ollama-host'
import type { Provider } from './table'

/** The address of `svc serve`. */
const defaultAddress = 'http://127.0.0.1:8787'

/** The `source` of an address from the table of providers. */
const tableSource = 'provider'

/**
 * Finds the base address of calls: that of the settings, of the provider's variable, or of the table. `undefined` if the
 * provider has no address in the table, and none is set. The address is not validated.
 */
export const findAddress = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  env: Runtime['env'],
): Setting | undefined => {
  if (settings.address !== undefined) return settings.address
  if (provider === undefined) return { value: defaultAddress, source: 'default' }
  const variableAddress = readAddressVariable(provider, env)
  if (variableAddress !== undefined) return variableAddress
  return provider.address === undefined
    ? undefined
    : { value: provider.address, source: tableSource }
}

const readAddressVariable = (provider: Provider, env: Runtime['env']): Setting | undefined => {
  const { addressVariable, addressFormat } = provider
  if (addressVariable === undefined) return undefined
  const text = env[addressVariable]?.trim()
  if (!text) return undefined
  const value = addressFormat === 'ollama-host' ? parseOllamaHost(text) : text
  return { value, source: addressVariable }
}

/**
 * Lists the variables that may have the key for an address. The first one that is set has it. A key is only sent to the service
 * that it is for: the list leaves out a provider's variables if the address is another service's.
 */
export const listKeyVariables = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  address: Setting | undefined,
): ReadonlyArray<string> => {
  const serviceVariables = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']
  if (provider === undefined)
    return [
      ...(settings.usesServiceVariables ? serviceVariables : []),
      ...(address?.source === settings.addressOption ? [] : ['TYPESAFE_API_KEY']),
    ]
  const isProviderAddress =
    provider.address === undefined ||
    address?.source === tableSource ||
    address?.source === provider.addressVariable
  return [
    ...(address?.source === 'SERVICE_BASE_URL' ? serviceVariables : []),
    ...(isProviderAddress ? provider.keyVariables : []),
  ]
}
