import { lookup, Resolver } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Runtime } from '../runtime/runtime'

/**
 * Looks names up as the system does, but only once a name server has been heard of: a lookup by
 * the system cannot be ended, and a process waits for it before it exits, for 10 s and more
 * where no name server answers (D35). The question that comes first ends with the signal.
 */
export const boundedLookup =
  (files: Runtime['files'], signal: AbortSignal, resolver = new Resolver()): LookupFunction =>
  (name, options, done) => {
    const look = () => lookup(name, options, done)
    const ask = () => {
      const cancel = () => resolver.cancel()
      signal.addEventListener('abort', cancel)
      resolver.resolve4(name, (error) => {
        signal.removeEventListener('abort', cancel)
        if (error && unheard.has(error.code ?? '')) done(error, '')
        else look()
      })
    }
    isLocal(name, files).then((local) => (local ? look() : ask()), ask)
  }

/** Any other error is an answer, or there is no name server to wait for. */
const unheard = new Set(['ETIMEOUT', 'ECANCELLED'])

/** Whether the system knows a name without a name server: this machine, its hosts file, mDNS. */
const isLocal = async (name: string, files: Runtime['files']): Promise<boolean> => {
  if (/(^|\.)(localhost|local)\.?$/i.test(name)) return true
  const hosts = Buffer.from(await files.read('/etc/hosts')).toString()
  return hosts
    .split('\n')
    .some((line) => line.replace(/#.*/, '').split(/\s+/).slice(1).includes(name))
}
