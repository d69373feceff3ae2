import type { Cancellation, Fetch, FetchInit } from '../runtime'

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

/**
 * Makes exchanges through a `fetch` of the Fetch API, which is told not to follow redirects. A `fetch` that ignores its
 * signal ends with the exchange all the same.
 */
export const adaptWebFetch =
  (fetch: WebFetch): Fetch =>
  async (url, { method, headers, body, cancellation }) => {
    const init = { method, headers, redirect: 'manual', signal: cancellation.signal } as const
    const over = rejectWhenOver(cancellation)
    const response = await Promise.race([
      fetch(url, body ? { ...init, body: decodeRequestBody(body) } : init),
      over,
    ])
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: readBytes(response.body as AsyncIterable<unknown> | null, over),
    }
  }

/** Rejects when the exchange is over. */
const rejectWhenOver = (cancellation: Cancellation): Promise<never> => {
  const over = new Promise<never>((_, reject) => {
    cancellation.onCancel(() => reject(new Error('the exchange is over')))
  })
  over.catch(() => undefined)
  return over
}

/** Reads a body in bytes. Some implementations of `fetch` give texts. Rejects on anything else, and when `over` does. */
async function* readBytes(
  body: AsyncIterable<unknown> | null,
  over: Promise<never>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body?.[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([chunks?.next(), over])
    if (next === undefined || next.done) return
    if (typeof next.value === 'string') yield Buffer.from(next.value)
    else if (next.value instanceof Uint8Array) yield next.value
    else throw new TypeError('the body of the response has chunks that are not bytes')
  }
}

export const decodeRequestBody = (body: NonNullable<FetchInit['body']>): string =>
  typeof body === 'string'
    ? body
    : Buffer.concat(body instanceof Uint8Array ? [body] : body).toString()
