/** Returns `true` if a host of a URL or a command line is this machine: `localhost` or a loopback address. */
export const isLoopback = (host: string): boolean => {
  // Not imported: every run loads this file, and Node takes 3 ms to load `node:net`.
  const { isIPv4, isIPv6 } = process.getBuiltinModule('node:net')
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  if (isIPv4(name)) return name.startsWith('127.')
  // `7f` is 127: `::ffff:7f00:1` is the IPv4 address 127.0.0.1.
  if (isIPv6(name)) return /^\[::(?:1|ffff:7f..:.+)\]$/.test(normalizeAddress(name))
  return /^(?:.*\.)?localhost\.?$/.test(name)
}

/**
 * Shortens an IPv6 address as URLs do: `0:0:0:0:0:0:0:1` to `[::1]`, and `::ffff:127.0.0.1` to `[::ffff:7f00:1]`. Returns
 * `''` for an address with a zone, such as `fe80::1%eth0`, because URLs cannot have one.
 */
const normalizeAddress = (address: string): string => {
  const url = `http://[${address}]`
  return URL.canParse(url) ? new URL(url).hostname : ''
}
