import { BlockList } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/**
 * Whether a host is this machine itself: `localhost` or a loopback address, spelled as in a URL or on a command
 * line.
 */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (/^(?:.*\.)?localhost\.?$/.test(name)) return true
  return loopback.check(name, name.includes(':') ? 'ipv6' : 'ipv4')
}
