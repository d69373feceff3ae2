import type { Cancellation, Fetch, FetchInit } from '../runtime'

/** The part of the Fetch API that svc needs of your own `fetch`. The global `fetch` has it. */
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

/** Makes exchanges with a `fetch` of the Fetch API. A cancelled exchange rejects even if that `fetch` ignores its signal. */
export const adaptWebFetch =
  (fetch: WebFetch): Fetch =>
  async (url, { method, headers, body, cancellation }) => {
    const cancelled = rejectOnCancel(cancellation)
    const init = { method, headers, redirect: 'manual', signal: cancellation.signal } as const
    const request = fetch(url, body ? { ...init, body: decodeRequestBody(body) } : init)
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
  // Node reports a rejection that no code handles.
  cancelled.catch(() => undefined)
  return cancelled
}

/** Reads a body as bytes. Some implementations of `fetch` yield strings. Rejects on other chunks, and when `cancelled` does. */
async function* readBytes(
  body: AsyncIterable<unknown> | null,
  cancelled: Promise<never>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body?.[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([chunks?.next(), cancelled])
    if (next === undefined || next.done) return
    const chunk = next.value
    if (typeof chunk === 'string') yield Buffer.from(chunk)
    else if (chunk instanceof Uint8Array) yield chunk
    else throw new TypeError('the body of the response has chunks that are not bytes')
  }
}

export const decodeRequestBody = (body: NonNullable<FetchInit['body']>): string => {
  if (typeof body === 'string') return body
  return Buffer.concat(body instanceof Uint8Array ? [body] : body).toString()
}
