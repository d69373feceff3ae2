import type { Runtime } from '../../runtime/runtime'
import type { DestinationSettings, Setting } from './destination-settings'
import type { Provider } from './provider'

/** The address at which `svc serve` listens by default. */
const defaultAddress = 'http://127.0.0.1:8787'

/** The `source` of an address from the table of providers. `listKeyVariables` recognizes the address by it. */
export const tableSource = 'provider'

/**
 * Finds the base address of calls: that of the settings, of the provider's variable, or of the table. `undefined` if the
 * provider has no address in the table, or needs the id of an account for it, and none is set. The address is not validated.
 */
export const findAddress = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  env: Runtime['env'],
): Setting | undefined => {
  if (settings.address !== undefined) return settings.address
  if (provider === undefined) return { value: defaultAddress, source: 'default' }
  const variableAddress = readAddressVariable(settings, provider, env)
  if (variableAddress !== undefined) return variableAddress
  const address = completeTableAddress(provider, env)
  return address === undefined ? undefined : { value: address, source: tableSource }
}

/** Puts the id of the account into an address of the table that needs one. `undefined` if it is not set. */
const completeTableAddress = (
  { address, accountVariable }: Provider,
  env: Runtime['env'],
): string | undefined => {
  if (accountVariable === undefined) return address
  const account = env[accountVariable]?.trim()
  return account ? address?.replace('{account}', () => encodeURIComponent(account)) : undefined
}

const readAddressVariable = (
  { ignoredVariables }: DestinationSettings,
  { addressVariable, addressFormat }: Provider,
  env: Runtime['env'],
): Setting | undefined => {
  if (addressVariable === undefined || ignoredVariables !== undefined) return undefined
  const text = env[addressVariable]?.trim()
  if (!text) return undefined
  const value = addressFormat === 'ollama-host' ? parseOllamaHost(text) : text
  return { value, source: addressVariable }
}

/** The port on which Ollama listens by default. */
const ollamaPort = '11434'

/**
 * Parses `OLLAMA_HOST` as Ollama does, and returns a URL. Quotes around the text are dropped. A host without a scheme gets `http` and
 * Ollama's port. A port that is no number up to 65535 counts as none. The addresses `0.0.0.0` and `::`, on which a server listens to all
 * networks, become those of this machine.
 */
export const parseOllamaHost = (quotedText: string): string => {
  const text = dropQuotes(quotedText)
  const schemeEnd = text.indexOf('://')
  const hasScheme = schemeEnd >= 0
  const scheme = hasScheme ? text.slice(0, schemeEnd) : 'http'
  const afterScheme = hasScheme ? text.slice(schemeEnd + 3) : text
  const slash = afterScheme.indexOf('/')
  const authority = slash < 0 ? afterScheme : afterScheme.slice(0, slash)
  const path = slash < 0 ? '' : afterScheme.slice(slash)
  const { host, port } = splitPort(authority)
  const defaultPort = hasScheme ? '' : ollamaPort
  const urlPort = isPort(port) ? port : defaultPort
  const portSuffix = urlPort === '' ? '' : `:${urlPort}`
  return `${scheme}://${makeReachable(host)}${portSuffix}${path}`
}

/** Drops quotes at both ends, which some ways of setting a variable leave there. Takes linear time. */
const dropQuotes = (text: string): string => {
  const isQuote = (char: string | undefined) => char === '"' || char === "'"
  let start = 0
  let end = text.length
  while (start < end && isQuote(text[start])) start += 1
  while (end > start && isQuote(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** Returns `true` for a port as Ollama accepts it: a number from 0 to 65535. */
const isPort = (text: string): boolean => /^\d{1,10}$/.test(text) && Number(text) <= 65_535

/** Splits off the port, which is `''` if there is none. An IPv6 address can have a port only if it is in brackets. */
const splitPort = (authority: string): { readonly host: string; readonly port: string } => {
  const colon = authority.lastIndexOf(':')
  const isBareIpv6 = authority.indexOf(':') < colon && !authority.startsWith('[')
  if (colon < 0 || isBareIpv6 || authority.endsWith(']')) return { host: authority, port: '' }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}

/** Replaces an address that only a server can use, and puts an IPv6 address in brackets. */
const makeReachable = (host: string): string => {
  const isInBrackets = host.startsWith('[') && host.endsWith(']')
  const address = isInBrackets ? host.slice(1, -1) : host
  if (address === '' || address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  const isIpv6 = address.includes(':')
  return isIpv6 ? `[${address}]` : address
}

const serviceKeyVariables = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']

/**
 * Lists the variables that may have the key for an address, in the order in which they are read. A key is sent only to the
 * service that it is for:
 *
 * - `SERVICE_API_KEY` and `SERVICE_API_KEY_FILE` to the address in `SERVICE_BASE_URL`. If no provider is chosen, to any
 *   address, unless the options replace the service that the variables describe
 * - the variables of a provider to an address of this provider
 * - `TYPESAFE_API_KEY` if no provider is chosen, but never to an address that an option sets
 */
export const listKeyVariables = (
  settings: DestinationSettings,
  provider: Provider | undefined,
  address: Setting | undefined,
): ReadonlyArray<string> => {
  const variables: string[] = []
  if (provider === undefined) {
    if (settings.usesServiceVariables) variables.push(...serviceKeyVariables)
    if (address?.source !== settings.addressOption) variables.push('TYPESAFE_API_KEY')
    return variables
  }
  if (address?.source === 'SERVICE_BASE_URL') variables.push(...serviceKeyVariables)
  // A provider without an address in the table, such as a proxy of your own, gets its key at any address.
  const isProviderAddress =
    provider.address === undefined ||
    address?.source === tableSource ||
    address?.source === provider.addressVariable
  if (isProviderAddress) variables.push(...provider.keyVariables)
  return variables
}
