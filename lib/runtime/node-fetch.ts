import type { Fetch } from './runtime'

/** HTTP by node-fetch, loaded with the first request. Redirects are left to the caller (D5). */
export const nodeFetch: Fetch = async (url, init) => {
  const { default: fetch } = await import('node-fetch')
  const response = await fetch(url, {
    method: init.method,
    headers: init.headers,
    body: init.body === undefined ? null : bufferOf(init.body),
    signal: init.signal,
    redirect: 'manual',
  })
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    body: chunksOf(response.body),
  }
}

/** The same memory, as node-fetch knows it. */
const bufferOf = (bytes: Uint8Array): Buffer<ArrayBufferLike> =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

async function* chunksOf(body: NodeJS.ReadableStream | null): AsyncGenerator<Uint8Array> {
  if (body === null) return
  for await (const chunk of body) {
    yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
}
