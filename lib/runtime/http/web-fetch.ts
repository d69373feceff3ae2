import type { Cancellation, Fetch, FetchInit } from '../runtime'

/** The part of the Fetch API that svc needs if you pass your own `fetch`. The global `fetch` has it. */
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

/** The part of a response of the Fetch API that svc reads. */
interface WebResponse {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  /** An async iterable stream, as in Node, Deno and Bun. Not all type declarations say that streams are iterable. */
  readonly body: object | null
}

/** Creates svc's `Fetch` from a `fetch` of the Fetch API. A cancelled exchange rejects even if that `fetch` ignores its signal. */
export const adaptWebFetch =
  (fetch: WebFetch): Fetch =>
  async (url, { method, headers, body, cancellation }) => {
    const cancelled = rejectOnCancel(cancellation)
    const options = { method, headers, redirect: 'manual', signal: cancellation.signal } as const
    const request = fetch(url, body ? { ...options, body: decodeRequestBody(body) } : options)
    const response = await Promise.race([request, cancelled])
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: readBytes(response.body as AsyncIterable<unknown> | null, cancelled),
    }
  }

/** Returns a promise that rejects when the exchange is cancelled. */
const rejectOnCancel = (cancellation: Cancellation): Promise<never> => {
  const cancelled = new Promise<never>((_, reject) => {
    cancellation.onCancel(() => reject(new Error('the exchange is over')))
  })
  // Without a handler, a rejection after the end of the exchange would be unhandled, which can end the process.
  cancelled.catch(() => undefined)
  return cancelled
}

/**
 * Reads a body as bytes. Encodes strings, which some implementations of `fetch` yield. Rejects on chunks of other types, and when
 * `cancelled` rejects.
 */
async function* readBytes(
  body: AsyncIterable<unknown> | null,
  cancelled: Promise<never>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body?.[Symbol.asyncIterator]()
  for (;;) {
    const result = await Promise.race([chunks?.next(), cancelled])
    // Without a body, there is no result.
    if (result === undefined || result.done) return
    const chunk = result.value
    if (typeof chunk === 'string') yield Buffer.from(chunk)
    else if (chunk instanceof Uint8Array) yield chunk
    else throw new TypeError('the body of the response has chunks that are not bytes')
  }
}

/** Returns the body of a request as one string. */
export const decodeRequestBody = (body: NonNullable<FetchInit['body']>): string => {
  if (typeof body === 'string') return body
  return Buffer.concat(body instanceof Uint8Array ? [body] : body).toString()
}
