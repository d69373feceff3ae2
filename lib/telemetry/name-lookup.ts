import { lookup, Resolver } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Runtime } from '../runtime/runtime'

/**
 * Looks names up as the system does, but asks a name server for the name first. Node cannot cancel the system's lookup
 * and does not exit before it ends, which takes 10 s and more where no name server answers (D35). The question that
 * goes first gives up after some seconds and keeps no program from ending; only when it was answered, whatever the
 * answer, is the system asked.
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
