import type { Agent } from 'node:http'
import type { Readable } from 'node:stream'
import fetch from 'node-fetch'
import { watch } from './connection'
import { decoded } from './content-encoding'
import { hasProxy } from './has-proxy'
import type { Fetch } from './runtime'

/**
 * HTTP over node-fetch. One connection per exchange, unless it is to be kept and no proxy is in the way; no
 * redirects (D5); proxies from the environment (D24).
 */
export const nodeFetch: Fetch = async (url, init) => {
  const proxy = hasProxy(process.env)
    ? (await import('./proxy')).proxyFor(url, init.signal)
    : undefined
  const connection = watch(proxy?.agent ?? (init.keepAlive ? keptAgent(url) : directAgent(url)))
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

/** The agents of kept connections, by protocol. Idle ones do not keep the process alive. */
const kept = new Map<string, Agent>()

const keptAgent = (url: string): Agent => {
  const protocol = new URL(url).protocol
  const agent = kept.get(protocol) ?? new (agentClass(url))({ keepAlive: true })
  kept.set(protocol, agent)
  return agent
}

const directAgent = (url: string): Agent => new (agentClass(url))({ keepAlive: false })

const agentClass = (url: string): typeof Agent =>
  process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http').Agent
