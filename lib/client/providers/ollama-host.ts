/** The port on which Ollama listens unless it is told another. */
const defaultPort = '11434'

/**
 * Parses `OLLAMA_HOST` as Ollama does, and returns a URL. A host without a scheme gets `http` and Ollama's port. The addresses
 * `0.0.0.0` and `::`, on which a server listens to all networks, become those of this machine.
 */
export const parseOllamaHost = (text: string): string => {
  const schemeEnd = text.indexOf('://')
  const hasScheme = schemeEnd >= 0
  const scheme = hasScheme ? text.slice(0, schemeEnd) : 'http'
  const afterScheme = hasScheme ? text.slice(schemeEnd + 3) : text
  const slash = afterScheme.indexOf('/')
  const authority = slash < 0 ? afterScheme : afterScheme.slice(0, slash)
  const path = slash < 0 ? '' : afterScheme.slice(slash)
  const { host, port } = splitPort(authority)
  const urlPort = port === '' && !hasScheme ? defaultPort : port
  const portSuffix = urlPort === '' ? '' : `:${urlPort}`
  return `${scheme}://${makeReachable(host)}${portSuffix}${path}`
}

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
