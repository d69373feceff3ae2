import { BlockList } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a host, as a URL or a command line spells it, is this machine itself. */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (/^(?:.*\.)?localhost\.?$/.test(name)) return true
  return loopback.check(name, name.includes(':') ? 'ipv6' : 'ipv4')
}
