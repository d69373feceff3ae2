import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { transportError } from '../node/error-reason'
import type { AddRequest } from './watch-exchange'

/** Node's modules for TLS, which it takes milliseconds to load. Only a call through a proxy needs them. */
const loadTls = () => process.getBuiltinModule('node:tls')
const loadHttps = () => process.getBuiltinModule('node:https')

/** How one exchange uses its connection. */
interface Use {
  /** Ends the exchange, including the wait for the proxy. */
  readonly signal?: AbortSignal
  /** Reuses a connection of an earlier exchange, and leaves it open afterwards. */
  readonly keepAlive?: boolean
}

/**
 * Returns an agent for one exchange through `proxy`. An `http:` request is sent to the proxy, with its whole
 * address as the path. For an `https:` request the proxy is asked for a tunnel (CONNECT), inside which the
 * certificate of the service is checked as usual. D24, D54
 */
export const createProxyAgent = (
  proxy: URL,
  target: URL,
  { signal, keepAlive = false }: Use = {},
): HttpAgent => {
  const isTunnel = target.protocol === 'https:'
  const createAgent = () =>
    isTunnel
      ? createTunnellingAgent(proxy, target, keepAlive)
      : createForwardingAgent(proxy, keepAlive)
  const name = `${proxy.href} ${target.origin}`
  const agent = (keepAlive && kept.get(name)) || createAgent()
  if (keepAlive) kept.set(name, agent)
  return isTunnel ? withTunnelSignal(agent, signal) : agent
}

/** The agents of connections that are kept alive. */
const kept = new Map<string, HttpAgent>()

/** Copies an agent for one exchange, whose signal then also ends the set-up of its connection. */
const withTunnelSignal = (agent: HttpAgent, signal: AbortSignal | undefined): HttpAgent => {
  const shared = agent as HttpAgent & AddRequest
  const own: HttpAgent & AddRequest = Object.create(agent)
  own.addRequest = (request, options, ...rest) =>
    shared.addRequest(request, { ...(options as object), untilTunnel: signal }, ...rest)
  return own
}

const createForwardingAgent = (proxy: URL, keepAlive: boolean): HttpAgent => {
  const agent = new HttpAgent({ keepAlive })
  const { host, port } = addressOf(proxy)
  agent.createConnection = () =>
    proxy.protocol === 'https:'
      ? loadTls().connect({ host, port, servername: isIP(host) === 0 ? host : '' })
      : tcpConnect({ host, port })
  const hooked = agent as unknown as AddRequest
  const addRequest = hooked.addRequest.bind(agent)
  hooked.addRequest = (request: ClientRequest, ...rest) => {
    request.path = `http://${request.getHeader('host')}${request.path}`
    for (const [name, value] of Object.entries(authorizationOf(proxy)))
      request.setHeader(name, value)
    return addRequest(request, ...rest)
  }
  return agent
}

const createTunnellingAgent = (proxy: URL, target: URL, keepAlive: boolean): HttpAgent => {
  const agent = new (loadHttps().Agent)({ keepAlive })
  const place = `${target.hostname}:${target.port || 443}`
  agent.createConnection = (options, done) => {
    // Node passes either an error or a connection; its types demand both.
    const settle = done as (error: Error | null, socket?: Socket) => void
    const { untilTunnel } = options as { readonly untilTunnel?: AbortSignal }
    openTunnel(proxy, place, untilTunnel).then(
      (socket) => settle(null, loadTls().connect({ ...(options as ConnectionOptions), socket })),
      settle,
    )
    return undefined
  }
  return agent
}

/** Opens a connection to `target` (`host:port`) through the proxy. */
const openTunnel = (proxy: URL, target: string, signal?: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const send = proxy.protocol === 'https:' ? loadHttps().request : httpRequest
    const headers = { Host: target, ...authorizationOf(proxy) }
    send({ ...addressOf(proxy), method: 'CONNECT', path: target, headers, agent: false, signal })
      .once('connect', ({ statusCode }, socket: Socket) => {
        if (statusCode === 200) return resolve(socket)
        socket.destroy()
        reject(transportError('proxy', `the proxy answered ${statusCode}`))
      })
      .once('error', reject)
      .end()
  })

const addressOf = (proxy: URL): { readonly host: string; readonly port: number } => {
  const { hostname, port } = urlToHttpOptions(proxy)
  return { host: hostname ?? '', port: Number(port) || (proxy.protocol === 'https:' ? 443 : 80) }
}

const authorizationOf = (proxy: URL): Readonly<Record<string, string>> => {
  const pair = [proxy.username, proxy.password].map(decodePercent).join(':')
  return pair === ':'
    ? {}
    : { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

/** Decodes percent escapes. A text with malformed escapes is returned unchanged. */
const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
