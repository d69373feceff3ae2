import { lookup, Resolver } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Runtime } from '../runtime/runtime'

/**
 * Creates a function that looks up host names for connections. It asks a name server first, unless the name is local. If the name server
 * times out, the lookup fails. After any other result, even an error, the operating system is asked, and its answer is the result.
 *
 * Node cannot cancel a lookup of the system, and waits for it before the exit. If no name server answers, such a lookup takes 10 s or
 * more. The resolver gives up after a few seconds and does not delay the exit.
 */
export const createNameLookup =
  (
    files: Runtime['files'],
    resolver = new Resolver({ timeout: 2_000, tries: 2 }),
  ): LookupFunction =>
  (name, options, done) => {
    const askSystem = () => lookup(name, options, done)
    const askNameServer = () =>
      resolver.resolve4(name, (error) => {
        // `''` stands for no address.
        if (error?.code === 'ETIMEOUT') done(error, '')
        else askSystem()
      })
    // If the hosts file cannot be read, the name server is asked.
    isLocal(name, files).then((local) => (local ? askSystem() : askNameServer()), askNameServer)
  }

/**
 * Resolves to `true` if the system needs no name server for a name: `localhost`, names in the hosts file, and names ending in `.local`,
 * which mDNS resolves.
 */
const isLocal = async (name: string, files: Runtime['files']): Promise<boolean> => {
  if (/(^|\.)(localhost|local)\.?$/i.test(name)) return true
  const hosts = Buffer.from(await files.read('/etc/hosts')).toString()
  return hosts.split('\n').some((line) => {
    const [, ...names] = line.replace(/#.*/, '').split(/\s+/)
    return names.includes(name)
  })
}
