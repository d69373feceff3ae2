import { BlockList, isIP } from 'node:net'
import * as E from 'fp-ts/Either'
import type { Runtime } from '../runtime'
import { isLoopback } from './loopback'

/**
 * Returns the proxy that the environment names for requests to `url`, or `undefined` if they need no proxy. `NO_PROXY` has the rules of
 * Go's net/http. `ALL_PROXY` is for protocols without a variable of their own, as in curl. An address without a scheme gets `http://`.
 * If an address is invalid, the message names the variable, but not its value, which may contain a password.
 */
export const chooseProxy = (env: Runtime['env'], url: URL): E.Either<string, URL | undefined> => {
  const name = findProxyVariable(env, url)
  const value = name === undefined ? undefined : env[name]
  if (value === undefined) return E.right(undefined)
  const address = value.includes('://') ? value : `http://${value}`
  const proxy = URL.canParse(address) ? new URL(address) : undefined
  return proxy?.protocol === 'http:' || proxy?.protocol === 'https:'
    ? E.right(proxy)
    : E.left(`${name} must be the address of a proxy, with http:// or https:// or no scheme`)
}

/** Returns the name of the variable with the proxy for requests to `url`, or `undefined` if they need no proxy. */
export const findProxyVariable = (env: Runtime['env'], url: URL): string | undefined => {
  if (bypassesProxy(env, url)) return undefined
  const names =
    url.protocol === 'https:'
      ? ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
      : ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
  // An empty variable counts as unset.
  return names.find((name) => env[name])
}

/** Returns `true` for hosts that need no proxy: this machine, and those that `NO_PROXY` lists. */
const bypassesProxy = (env: Runtime['env'], url: URL): boolean => {
  if (isLoopback(url.hostname)) return true
  const host = normalizeHost(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const entries = (env.NO_PROXY || env.no_proxy || '').toLowerCase().split(',')
  return entries.some((entry) => matchesEntry(entry.trim(), host, port))
}

/**
 * Returns `true` if an entry of `NO_PROXY` matches a host and port. These are the forms of an entry:
 *
 * - `*` matches all hosts
 * - `10.0.0.0/8` matches a block of addresses
 * - `example.org` matches the host and its sub-domains
 * - `.example.org` and `*.example.org` match only the sub-domains
 *
 * `:443` at the end of an entry limits it to that port.
 */
const matchesEntry = (entry: string, host: string, port: string): boolean => {
  if (entry === '*') return true
  const { hostPattern, portPattern } = splitEntry(entry)
  if (hostPattern === '') return false
  if (portPattern !== undefined && portPattern !== port) return false
  if (isAddress(host)) return isInBlock(host, hostPattern)
  if (hostPattern.startsWith('.')) return host.endsWith(hostPattern)
  return host === hostPattern || host.endsWith(`.${hostPattern}`)
}

/** Splits an entry such as `example.org:443` or `[::1]:443`. A leading `*.` becomes `.`. */
const splitEntry = (entry: string) => {
  const [, hostBeforePort, portPattern] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
  const hostPattern = normalizeHost(hostBeforePort ?? entry).replace(/^\*\./, '.')
  return { hostPattern, portPattern }
}

/** Removes the brackets of an IPv6 address and the dot that may end a host name. */
const normalizeHost = (host: string): string => host.replace(/[[\]]/g, '').replace(/\.$/, '')

const isAddress = (host: string): boolean => isIP(host) !== 0

/** Returns `true` if `block` is the address `host`, or a block such as `10.0.0.0/8` that contains `host`. */
const isInBlock = (host: string, block: string): boolean => {
  const [address = '', prefixLength] = block.split('/')
  if (!isAddress(address)) return false
  const addressBits = isIP(address) === 6 ? 128 : 32
  const prefixBits = Number(prefixLength ?? addressBits)
  if (!Number.isInteger(prefixBits) || prefixBits > addressBits) return false
  const list = new BlockList()
  list.addSubnet(address, prefixBits, familyOf(address))
  return list.check(host, familyOf(host))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
