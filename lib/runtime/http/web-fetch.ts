import type { Fetch } from '../runtime'
import { textOfBody } from './direct-fetch'

/** The part of the Fetch API that a caller's own `fetch` must have: the global one has it, and so have others. */
export type WebFetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<WebResponse>

/** The part of a response of the Fetch API that is read. */
interface WebResponse {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** A stream that can be iterated, as those of Node, Deno and Bun can. Not all type declarations say so. */
  readonly body: object | null
}

/** Makes exchanges through a `fetch` of the Fetch API. It is told not to follow redirects. D5 */
export const adaptWebFetch =
  (fetch: WebFetch): Fetch =>
  async (url, { method, headers, body, ending: { signal } }) => {
    const init = { method, headers, redirect: 'manual', signal } as const
    const response = await fetch(url, body ? { ...init, body: textOfBody(body) } : init)
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: (response.body as AsyncIterable<Uint8Array> | null) ?? yieldNothing(),
    }
  }

async function* yieldNothing(): AsyncGenerator<Uint8Array> {}
