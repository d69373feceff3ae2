import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Finds the address of the caller, for the access log. */
export type FindPeer = (
  incoming: Pick<IncomingMessage, 'headers'> & {
    readonly socket: { readonly remoteAddress?: string | undefined }
  },
) => string | undefined

/**
 * Creates the function that finds the caller's address. If a trusted proxy sent the request, the caller's address is the last one in
 * `X-Forwarded-For` that is not a trusted proxy. The addresses before it may be forged. If that entry is not an IP address, returns the
 * address of the proxy.
 */
export const createFindPeer = (trustedProxies: ReadonlyArray<string>): FindPeer => {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress
  const trusted = new BlockList()
  for (const address of trustedProxies) trusted.addAddress(address, getFamily(address))
  const isTrusted = (address: string): boolean => trusted.check(address, getFamily(address))
  return ({ socket, headers }) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || !isTrusted(remoteAddress)) return remoteAddress
    const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(',')
    const entries = forwardedFor.split(',').map((entry) => entry.trim())
    const caller = entries.findLast((entry) => isIP(entry) === 0 || !isTrusted(entry))
    return caller !== undefined && isIP(caller) !== 0 ? caller : remoteAddress
  }
}

const getFamily = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
