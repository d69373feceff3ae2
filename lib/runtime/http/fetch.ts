import type { Agent, ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import * as E from 'fp-ts/Either'
import fetch from 'node-fetch'
import { createTransportError } from '../node/error-reason'
import type { Fetch, FetchInit, Runtime } from '../runtime'
import { chooseProxy } from './proxy-choice'

/**
 * Creates the HTTP client. It wraps node-fetch, uses the proxy that the environment names, and does not follow redirects.
 * Every exchange opens its own connection, unless `keepAlive` is set. If an exchange through a proxy fails before its response begins,
 * the error has the member `via`: the `host:port` of the proxy.
 */
export const createFetch =
  (env: Runtime['env']): Fetch =>
  async (url, init) => {
    const target = new URL(url)
    const proxy = chooseProxy(env, target)
    if (E.isLeft(proxy)) throw createTransportError('proxySetting', proxy.left)
    const agent = await chooseAgent(target, proxy.right, init.keepAlive)
    const exchange = watchExchange(agent)
    const request = fetch(url, {
      method: init.method,
      ...encodeBody(init.headers, init.body),
      agent: exchange.agent,
      signal: init.cancellation.signal,
      redirect: 'manual',
    })
    const response = await request.catch((rejection: Error) => {
      const error = exchange.getFirstError() ?? rejection
      throw proxy.right === undefined ? error : Object.assign(error, { via: proxy.right.host })
    })
    const body = response.body as Readable
    exchange.propagateErrorTo(body)
    const header = (name: string) => response.headers.get(name)
    // The body has no length and no chunks, so only the end of the connection can end it.
    const endsWithConnection =
      header('content-length') === null && header('transfer-encoding') === null
    return { status: response.status, header, body, endsWithConnection }
  }

/** Returns the body as node-fetch takes it, and the headers. Adds the length of a body in chunks, which node-fetch would leave out. */
const encodeBody = (headers: FetchInit['headers'], body: FetchInit['body']) => {
  if (body === undefined) return { headers }
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body }
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0)
  return { headers: { ...headers, 'Content-Length': String(length) }, body: Readable.from(body) }
}

const chooseAgent = async (
  target: URL,
  proxy: URL | undefined,
  keepAlive = false,
): Promise<Agent> => {
  if (proxy === undefined) return keepAlive ? getKeepAliveAgent(target) : createAgent(target)
  const { createProxyAgent } = await import('./proxy-agent')
  return createProxyAgent(proxy, target, keepAlive)
}

/** Agents that keep connections open, by protocol. */
const keepAliveAgents = new Map<string, Agent>()

const getKeepAliveAgent = (target: URL): Agent => {
  const existing = keepAliveAgents.get(target.protocol)
  if (existing !== undefined) return existing
  const AgentClass = getAgentClass(target)
  // The number of idle connections needs no limit, because they do not keep the process alive.
  const agent = new AgentClass({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY })
  keepAliveAgents.set(target.protocol, agent)
  return agent
}

const createAgent = (target: URL): Agent => {
  const AgentClass = getAgentClass(target)
  return new AgentClass({ keepAlive: false })
}

const getAgentClass = ({ protocol }: URL): typeof Agent =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http').Agent

/** An exchange of node-fetch 2, with the errors that node-fetch hides. */
interface WatchedExchange {
  /** Pass this agent to node-fetch. */
  readonly agent: Agent
  /** Returns the first error of the request or the response, if there is one. node-fetch wraps it in an error whose message contains the URL. */
  readonly getFirstError: () => Error | undefined
  /** Makes `body` fail if the response is cut short. With node-fetch alone, `body` would wait for more data forever. */
  readonly propagateErrorTo: (body: Readable) => void
}

/** Node calls this method of an agent with each request. All agents have it, but Node's types leave it out. */
export interface WithAddRequest {
  addRequest: (request: ClientRequest, ...rest: ReadonlyArray<unknown>) => unknown
}

/** Watches the request that node-fetch makes through the agent of the result. Does not change `agent`. */
const watchExchange = (agent: Agent): WatchedExchange => {
  let firstError: Error | undefined
  let body: Readable | undefined
  const onError = (error: Error): void => {
    firstError ??= error
    body?.destroy(error)
  }
  const original = agent as Agent & WithAddRequest
  // `agent` may serve other exchanges too, so this overrides its method only in an object that inherits from it.
  const watched: Agent & WithAddRequest = Object.create(agent)
  watched.addRequest = (request, ...rest) => {
    request.once('error', onError)
    request.once('response', (response) => {
      response.once('error', onError)
      // node-fetch decodes an encoding only if its name is in lower case. It has not read the headers yet.
      const encoding = response.headers['content-encoding']
      if (encoding) response.headers['content-encoding'] = encoding.trim().toLowerCase()
    })
    // Without a listener for `upgrade`, Node closes the connection without an error, and the call waits forever.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      const message = 'the server switched to another protocol'
      request.emit('error', createTransportError('protocolSwitch', message))
    })
    return original.addRequest(request, ...rest)
  }
  return {
    agent: watched,
    getFirstError: () => firstError,
    propagateErrorTo: (readable) => {
      body = readable
      // The response may have failed before this call.
      if (firstError !== undefined) body.destroy(firstError)
    },
  }
}
