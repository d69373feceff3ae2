import { lookup, Resolver } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Runtime } from '../runtime/runtime'

/**
 * Looks names up as the system does, but only after a name server has answered a question for the name. Node
 * cannot end the system's lookup and waits for it before the program exits: for 10 s and more where no name
 * server answers (D35). The question ends by itself and holds nothing up.
 */
export const nameLookup =
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

/** Whether the system knows a name without a name server: this machine, its hosts file, mDNS. */
const isLocal = async (name: string, files: Runtime['files']): Promise<boolean> => {
  if (/(^|\.)(localhost|local)\.?$/i.test(name)) return true
  const hosts = Buffer.from(await files.read('/etc/hosts')).toString()
  return hosts
    .split('\n')
    .some((line) => line.replace(/#.*/, '').split(/\s+/).slice(1).includes(name))
}
