import { BlockList, isIP } from 'node:net'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime'
import { isLoopback } from './loopback'

/**
 * Returns the proxy that the environment names for requests to `url`, `undefined` where they go directly. The
 * rules are those of Go's programs. A value without a scheme means `http://`. Fails with a message that names
 * the variable but not its value, which may hold a password.
 */
export const chooseProxy = (env: Runtime['env'], url: URL): E.Either<string, URL | undefined> => {
  const name = findProxyVariable(env, url)
  const value = name === undefined ? undefined : env[name]
  if (value === undefined) return E.right(undefined)
  const address = value.includes('://') ? value : `http://${value}`
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
    ? E.right(new URL(address))
    : E.left(`${name} must be the address of a proxy, with http:// or https:// or no scheme`)
}

/** The variable that names the proxy for requests to `url`; `undefined` where they go directly. */
export const findProxyVariable = (env: Runtime['env'], url: URL): string | undefined => {
  const names = [url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY']
  const name = names.flatMap((upper) => [upper, upper.toLowerCase()]).find((one) => env[one])
  return name === undefined || isDirect(env, url) ? undefined : name
}

const isDirect = ({ NO_PROXY, no_proxy }: Runtime['env'], url: URL): boolean => {
  if (isLoopback(url.hostname)) return true
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const entries = (NO_PROXY || no_proxy || '').toLowerCase().split(',')
  return entries.some((entry) => covers(entry.trim(), normalizeHost(url.hostname), port))
}

/**
 * Whether an entry of `NO_PROXY` covers a host. `*` covers all hosts, `10.0.0.0/8` a block of addresses,
 * `example.org` the host and its sub-domains, `.example.org` and `*.example.org` only the sub-domains. A `:443`
 * at the end limits the entry to that port.
 */
const covers = (entry: string, host: string, port: string): boolean => {
  if (entry === '*') return true
  const [, before = entry, only = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
  const name = normalizeHost(before).replace(/^\*\./, '.')
  if (only !== port || name === '') return false
  const [address = '', bits] = name.split('/')
  if (isIP(host) !== 0) return isIP(address) !== 0 && isInBlock(host, address, bits)
  return host.endsWith(name.startsWith('.') ? name : `.${name}`) || host === name
}

/** Removes the brackets of an IPv6 address and the dot that may end a host name. */
const normalizeHost = (host: string): string => host.replace(/[[\]]/g, '').replace(/\.$/, '')

const isInBlock = (host: string, address: string, bits: string | undefined): boolean => {
  const width = isIP(address) === 6 ? 128 : 32
  const prefix = Number(bits ?? width)
  if (!Number.isInteger(prefix) || prefix > width) return false
  const block = new BlockList()
  block.addSubnet(address, prefix, familyOf(address))
  return block.check(host, familyOf(host))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
