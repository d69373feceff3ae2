import { lookup, Resolver } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Runtime } from '../runtime/runtime'

/**
 * Looks up host names like the system does, but asks a name server first. Node cannot cancel the system's lookup and
 * does not exit before it ends, which takes 10 s or more if no name server answers. The first lookup gives up after a
 * few seconds and does not keep the process alive. The system is asked only after a name server has answered, even if
 * it does not know the name.
 */
export const createNameLookup =
  (
    files: Runtime['files'],
    resolver = new Resolver({ timeout: 2_000, tries: 2 }),
  ): LookupFunction =>
  (name, options, done) => {
    const look = () => lookup(name, options, done)
    const ask = () =>
      resolver.resolve4(name, (error) => (error?.code === 'ETIMEOUT' ? done(error, '') : look()))
    isLocal(name, files).then((local) => (local ? look() : ask()), ask)
  }

/** True if the system can resolve a name without a name server: this machine, the hosts file, mDNS. */
const isLocal = async (name: string, files: Runtime['files']): Promise<boolean> => {
  if (/(^|\.)(localhost|local)\.?$/i.test(name)) return true
  const hosts = Buffer.from(await files.read('/etc/hosts')).toString()
  return hosts
    .split('\n')
    .some((line) => line.replace(/#.*/, '').split(/\s+/).slice(1).includes(name))
}
