import type { Runtime } from '../../runtime/runtime'
import type { Provider } from './table'
import type { Setting, Target } from './target'

/** The address where the project's own service listens. */
const defaultAddress = 'http://127.0.0.1:8787'

/** The source of an address that stands in the provider's row. */
const ownRow = 'provider'

/**
 * The base address of calls: the one given, else that of the provider's own variable, else the one in its row.
 * `undefined` where a provider has none and none was given.
 */
export const findAddress = (
  target: Target,
  provider: Provider | undefined,
  env: Runtime['env'],
): Setting | undefined => {
  if (target.address !== undefined) return target.address
  if (provider === undefined) return { value: defaultAddress, source: 'default' }
  const variable = provider.addressVariable
  const own = variable === undefined ? undefined : env[variable]?.trim()
  if (variable !== undefined && own)
    return { value: provider.readsHost ? urlOfHost(own) : own, source: variable }
  return provider.address === undefined ? undefined : { value: provider.address, source: ownRow }
}

/**
 * The variables in which a key for this address is looked up, in order. A key never goes to an address that it
 * was not given for.
 */
export const listKeyVariables = (
  target: Target,
  provider: Provider | undefined,
  address: Setting | undefined,
): ReadonlyArray<string> => {
  const service = ['SERVICE_API_KEY', 'SERVICE_API_KEY_FILE']
  if (provider === undefined)
    return [
      ...(target.readsService ? service : []),
      ...(address?.source === target.addressOption ? [] : ['TYPESAFE_API_KEY']),
    ]
  const isOwn =
    provider.address === undefined ||
    address?.source === ownRow ||
    address?.source === provider.addressVariable
  return [
    ...(address?.source === 'SERVICE_BASE_URL' ? service : []),
    ...(isOwn ? provider.keyVariables : []),
  ]
}

/**
 * Reads `OLLAMA_HOST` as Ollama does: the scheme may be missing, then the port is 11434 unless given; an
 * address that stands for all of a machine's means this machine.
 */
export const urlOfHost = (text: string): string => {
  const at = text.indexOf('://')
  const scheme = at < 0 ? 'http' : text.slice(0, at)
  const rest = at < 0 ? text : text.slice(at + 3)
  const slash = rest.indexOf('/')
  const [authority, path] = slash < 0 ? [rest, ''] : [rest.slice(0, slash), rest.slice(slash)]
  const { host, port } = splitPort(authority)
  const hasPort = port !== '' || at >= 0
  return `${scheme}://${makeReachable(host)}${hasPort ? port && `:${port}` : ':11434'}${path}`
}

/** Splits the port off a host. An IPv6 address has it only behind brackets. */
const splitPort = (authority: string): { readonly host: string; readonly port: string } => {
  const colon = authority.lastIndexOf(':')
  const isBare = colon >= 0 && authority.indexOf(':') !== colon && !authority.startsWith('[')
  if (colon < 0 || isBare || authority.endsWith(']')) return { host: authority, port: '' }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}

const makeReachable = (host: string): string => {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  if (bare === '' || bare === '0.0.0.0') return '127.0.0.1'
  if (bare === '::') return '[::1]'
  return bare.includes(':') ? `[${bare}]` : bare
}
