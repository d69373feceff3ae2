import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../runtime/http/loopback'
import { parseTarget } from '../contract/operation-path'
import { foreignHost, invalidHost, type Problem } from '../contract/problem'

/**
 * Refuses an HTTP/1.1 request that does not have exactly one `Host`. With `onlyLoopback` it also refuses a host
 * that is not this machine, in the header or in a target that is a whole address. Otherwise a web page could reach
 * a service without keys, by pointing its own domain name at 127.0.0.1 (DNS rebinding). RFC 9112, 3.2
 */
export const checkHost = (
  { httpVersion, url, headers, rawHeaders }: IncomingMessage,
  onlyLoopback: boolean,
): Problem | undefined => {
  if (httpVersion === '1.1' && hostCount(rawHeaders) !== 1) return invalidHost
  if (!onlyLoopback) return undefined
  const named = [headers.host, parseTarget(url).host]
  return named.every((host) => host === undefined || leadsHere(host)) ? undefined : foreignHost
}

/**
 * Counts the `Host` headers. Node's `headers` keeps only the first; `rawHeaders` lists all, names and values in
 * turn.
 */
const hostCount = (rawHeaders: ReadonlyArray<string>): number =>
  rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === 'host').length

const leadsHere = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '')
  const address = name.replace(/^\[(.*)\]$/, '$1')
  return (isIP(address) !== 0 || /^[a-z0-9.-]+$/i.test(name)) && isLoopback(name)
}
