import type { Agent, ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { HttpProxyAgent } from 'http-proxy-agent'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { codeOf, transportError } from '../node/error-reason'

/**
 * Returns an agent for requests to `target` through `proxy`. An `http:` request is sent to the proxy, with its whole
 * address as the path. For an `https:` request the proxy is asked for a tunnel (CONNECT), inside which the certificate
 * of the service is checked as usual. With `keepAlive` the connections of earlier exchanges are reused.
 */
export const createProxyAgent = (proxy: URL, target: URL, keepAlive = false): Agent => {
  const name = `${proxy.href} ${target.origin}`
  const agent = (keepAlive && keptAgents.get(name)) || openAgent(proxy, target, keepAlive)
  if (keepAlive) keptAgents.set(name, agent)
  return agent
}

const keptAgents = new Map<string, Agent>()

const openAgent = (proxy: URL, { protocol }: URL, keepAlive: boolean): Agent => {
  const address = escapeCredentials(proxy)
  if (protocol !== 'https:') return endSetUpWithRequest(new HttpProxyAgent(address, { keepAlive }))
  const agent = new HttpsProxyAgent(address, { keepAlive })
  // The library would pass the refusal of the proxy on as the answer of the service.
  agent.on('proxyConnect', ({ statusCode }, request) => {
    const way = statusCode === 407 ? ': put user:password into HTTPS_PROXY' : ''
    if (statusCode !== 200)
      request.destroy(transportError('proxy', `the proxy answered ${statusCode}${way}`))
  })
  return endSetUpWithRequest(agent)
}

/** What both agents have in common. Their own types differ in the kind of request. */
interface ProxyAgent {
  readonly connectOpts: object
  connect(request: ClientRequest, options: unknown): Promise<Socket>
}

/**
 * Makes the end of a request also close a connection to the proxy that is not ready yet. The libraries leave it open,
 * and the program waiting for it.
 */
const endSetUpWithRequest = <A extends Agent>(agent: A & ProxyAgent): A => {
  const connect = agent.connect.bind(agent)
  agent.connect = async (request, options) => {
    const setUp = new AbortController()
    const end = (): void => setUp.abort()
    // A request without a connection emits no `close`. node-fetch ends it by its old method, which emits this.
    request.once('abort', end)
    try {
      // `connect` passes these options to Node before it first waits.
      Object.assign(agent.connectOpts, { signal: setUp.signal })
      return await connect(request, options)
    } catch (error) {
      // The library's error for a proxy that hangs up has no code.
      throw codeOf(error) === undefined
        ? transportError('proxy', 'connection closed before a response came')
        : error
    } finally {
      request.off('abort', end)
    }
  }
  return agent
}

/** The libraries decode user and password, and throw at a `%` that begins no escape. */
const escapeCredentials = (proxy: URL): string => {
  const escaped = new URL(proxy)
  escaped.username = proxy.username.replace(strayPercent, '%25')
  escaped.password = proxy.password.replace(strayPercent, '%25')
  return escaped.href
}

const strayPercent = /%(?![0-9a-f]{2})/gi
