import type { Readable } from 'node:stream'
import fetch from 'node-fetch'
import { watch } from './connection'
import { decoded } from './content-encoding'
import { hasProxy } from './has-proxy'
import type { Fetch } from './runtime'

/**
 * HTTP over node-fetch. One connection per exchange, so that an idle one cannot hold the exit; no redirects
 * (D5); proxies from the environment (D24).
 */
export const nodeFetch: Fetch = async (url, init) => {
  const proxy = hasProxy(process.env)
    ? (await import('./proxy')).proxyFor(url, init.signal)
    : undefined
  const connection = watch(proxy?.agent ?? directAgent(url))
  const exchange = fetch(url, {
    method: init.method,
    headers: init.headers,
    body: init.body && Buffer.from(init.body.buffer, init.body.byteOffset, init.body.byteLength),
    signal: init.signal,
    redirect: 'manual',
    compress: false,
    agent: connection.agent,
  })
  const response = await (proxy === undefined ? exchange : proxy.watch(exchange))
  const header = (name: string) => response.headers.get(name)
  const body = response.body as Readable
  connection.cutWithResponse(body)
  return {
    status: response.status,
    header,
    body: decoded(body, header('content-encoding')),
    endsWithConnection: connection.endsBody(),
  }
}

const directAgent = (url: string) => {
  const { Agent } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  return new Agent({ keepAlive: false })
}
