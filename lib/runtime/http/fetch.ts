import type { Agent } from 'node:http'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/Either'
import fetch from 'node-fetch'
import { transportError } from '../node/error-reason'
import type { Fetch, FetchInit, Runtime } from '../runtime'
import { chooseProxy } from './proxy-choice'
import { watchExchange } from './watch-exchange'

/**
 * Creates the HTTP client, on top of node-fetch, which decodes the bodies. Each exchange has its own connection, unless
 * `keepAlive` is set. Redirects are not followed, and proxies named in the environment are used.
 */
export const createFetch =
  (env: Runtime['env']): Fetch =>
  async (url, init) => {
    const target = new URL(url)
    const chosen = chooseProxy(env, target)
    if (E.isLeft(chosen)) throw transportError('proxySetting', chosen.left)
    const proxy = chosen.right
    const { method, headers, body, keepAlive } = init
    const { signal } = init.cancellation
    const connection = watchExchange(await chooseAgent(target, proxy, keepAlive))
    const { agent } = connection
    const options = { method, signal, agent, redirect: 'manual' } as const
    const response = await fetch(url, { ...options, ...bodyOptionsOf(headers, body) }).catch(
      (error: unknown) => {
        const cause = connection.failure() ?? error
        throw proxy === undefined ? cause : Object.assign(Object(cause), { via: proxy.host })
      },
    )
    const stream = response.body as Readable
    connection.cutWithResponse(stream)
    const header = (name: string) => response.headers.get(name)
    const endsWithConnection =
      header('content-length') === null && header('transfer-encoding') === null
    return { status: response.status, header, body: stream, endsWithConnection }
  }

/**
 * The options that pass a body to node-fetch. For a body in pieces the length has to be computed here, since
 * node-fetch sends a stream without one.
 */
const bodyOptionsOf = (headers: FetchInit['headers'], body: FetchInit['body']) => {
  if (body === undefined) return { headers }
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body }
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return { headers: { ...headers, 'Content-Length': String(length) }, body: Readable.from(body) }
}

const chooseAgent = async (
  target: URL,
  proxy: URL | undefined,
  keepAlive: boolean | undefined,
): Promise<Agent> => {
  if (proxy === undefined) return keepAlive ? keepAgent(target) : createAgent(target)
  const { createProxyAgent } = await import('./proxy-agent')
  return createProxyAgent(proxy, target, keepAlive)
}

/**
 * The agents of connections that are kept alive, by protocol. Idle connections do not keep the process alive,
 * so their number needs no limit.
 */
const keptAgents = new Map<string, Agent>()

const keepAgent = (target: URL): Agent => {
  const options = { keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY }
  const agent = keptAgents.get(target.protocol) ?? new (agentClassOf(target))(options)
  keptAgents.set(target.protocol, agent)
  return agent
}

const createAgent = (target: URL): Agent => new (agentClassOf(target))({ keepAlive: false })

const agentClassOf = ({ protocol }: URL): typeof Agent =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').Agent
