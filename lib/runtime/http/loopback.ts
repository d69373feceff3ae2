/**
 * Whether a host is this machine itself: `localhost` or a loopback address, spelled as in a URL or on a command line.
 */
export const isLoopback = (host: string): boolean => {
  // Every run loads this file, and only a call loads that module of Node, which takes it 3 ms.
  const { isIPv4, isIPv6 } = process.getBuiltinModule('node:net')
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(name)) return name.startsWith('127.')
  if (isIPv6(name)) return /^\[::(?:1|ffff:7f..:.+)\]$/.test(normalizeAddress(name))
  return /^(?:.*\.)?localhost\.?$/.test(name)
}

/**
 * The spelling that URLs use for an IPv6 address: `[::1]` for `0:0:0:0:0:0:0:1`, and `[::ffff:7f00:1]` for
 * `::ffff:127.0.0.1`. An address with a zone, such as `fe80::1%eth0`, has none and gives `''`.
 */
const normalizeAddress = (address: string): string => {
  const url = `http://[${address}]`
  return URL.canParse(url) ? new URL(url).hostname : ''
}
