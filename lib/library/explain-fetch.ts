import { codeOf, createTransportError } from '../runtime/node/error-reason'
import type { Fetch } from '../runtime/runtime'

/** The codes of errors of a `node:http` that only has the names of its functions. */
const notImplementedCodes: ReadonlyArray<string | undefined> = [
  undefined,
  'ERR_METHOD_NOT_IMPLEMENTED',
]

/**
 * Wraps a fetch over `node:http` so that, on Cloudflare Workers, its failure says to pass the platform's own. Workers have a working
 * `node:http` only with a newer compatibility date. Elsewhere returns the fetch unchanged.
 */
export const explainOnWorkers = (
  fetch: Fetch,
  userAgent = (globalThis.navigator as Navigator | undefined)?.userAgent,
): Fetch => {
  if (userAgent !== 'Cloudflare-Workers') return fetch
  return async (url, init) => {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (init.cancellation.signal.aborted || !notImplementedCodes.includes(codeOf(error)))
        throw error
      const advice =
        'pass fetch: (url, init) => fetch(url, init), or set a newer compatibility date'
      throw createTransportError('noHttp', `node:http does not work here: ${advice}`)
    }
  }
}
