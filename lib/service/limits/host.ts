import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../runtime/loopback'
import { foreignHost, invalidHost, type Problem } from '../problem'

/**
 * Refuses a request of HTTP/1.1 that does not have one `Host`. With `onlyLoopback` it also refuses a host that is not
 * this machine itself: a web page whose name is made to lead here could else ask without a key (DNS rebinding). RFC 9112,
 * 3.2; D72
 */
export const checkHost = (
  { httpVersion, headers, rawHeaders }: IncomingMessage,
  onlyLoopback: boolean,
): Problem | undefined => {
  if (httpVersion === '1.1' && hostCount(rawHeaders) !== 1) return invalidHost
  const { host } = headers
  return onlyLoopback && host !== undefined && !leadsHere(host) ? foreignHost : undefined
}

/** Node keeps the first of several in `headers`, and all of them, names and values in turn, in `rawHeaders`. */
const hostCount = (rawHeaders: ReadonlyArray<string>): number => {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.toLowerCase() === 'host') count += 1
  return count
}

const leadsHere = (host: string): boolean => {
  const name = host.replace(/:\d*$/, '')
  const address = name.replace(/^\[(.*)\]$/, '$1')
  return (isIP(address) !== 0 || /^[a-z0-9.-]+$/i.test(name)) && isLoopback(name)
}
