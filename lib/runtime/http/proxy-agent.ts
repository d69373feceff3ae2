import type { Agent, ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { HttpProxyAgent } from 'http-proxy-agent'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { codeOf, createTransportError } from '../node/error-reason'

/** Agents that keep connections open, by the addresses of proxy and target. */
const keepAliveProxyAgents = new Map<string, Agent>()

/**
 * Returns an agent for requests to `target` through `proxy`. It sends an `http:` request to the proxy with the whole URL as
 * its path. For an `https:` request it asks the proxy for a tunnel (CONNECT). Inside the tunnel Node checks the certificate of
 * `target` as usual. With `keepAlive` the agent reuses connections of earlier exchanges.
 */
export const createProxyAgent = (proxy: URL, target: URL, keepAlive = false): Agent => {
  if (!keepAlive) return createNewProxyAgent(proxy, target, false)
  const proxyAndTarget = `${proxy.href} ${target.origin}`
  const agent = keepAliveProxyAgents.get(proxyAndTarget) ?? createNewProxyAgent(proxy, target, true)
  keepAliveProxyAgents.set(proxyAndTarget, agent)
  return agent
}

const createNewProxyAgent = (proxy: URL, target: URL, keepAlive: boolean): Agent => {
  const address = escapeCredentials(proxy)
  if (target.protocol !== 'https:')
    return abortConnectWithRequest(new HttpProxyAgent(address, { keepAlive }))
  const agent = new HttpsProxyAgent(address, { keepAlive })
  // If the proxy refuses the tunnel, https-proxy-agent returns the refusal as if the service had sent it.
  agent.on('proxyConnect', ({ statusCode }, request) => {
    if (statusCode === 200) return
    const advice = statusCode === 407 ? ': put user:password into HTTPS_PROXY' : ''
    request.destroy(createTransportError('proxy', `the proxy answered ${statusCode}${advice}`))
  })
  return abortConnectWithRequest(agent)
}

/** The members that both kinds of agent share. Their own types differ in the type of the request. */
interface ProxyAgent {
  readonly connectOpts: object
  connect(request: ClientRequest, options: unknown): Promise<Socket>
}

/**
 * Makes the agent stop connecting to the proxy when the request is aborted. The agents of the two packages would go on connecting.
 * That would keep the process alive. Returns the agent.
 */
const abortConnectWithRequest = <A extends Agent>(agent: A & ProxyAgent): A => {
  const connect = agent.connect.bind(agent)
  agent.connect = async (request, options) => {
    const connecting = new AbortController()
    const stopConnecting = (): void => connecting.abort()
    // node-fetch calls `request.abort()`. Without a connection, the request then emits `abort` but not `close`.
    request.once('abort', stopConnecting)
    try {
      // `connect` reads `connectOpts` synchronously, so requests that connect at the same time do not share a signal.
      Object.assign(agent.connectOpts, { signal: connecting.signal })
      return await connect(request, options)
    } catch (error) {
      // The packages' error about a proxy that hangs up has no code.
      if (codeOf(error) !== undefined) throw error
      throw createTransportError('proxy', 'connection closed before a response came')
    } finally {
      request.off('abort', stopConnecting)
    }
  }
  return agent
}

/** Matches a `%` that does not begin an escape sequence such as `%2f`. */
const unescapedPercent = /%(?![0-9a-f]{2})/gi

/** Escapes each `%` that does not begin an escape sequence. Otherwise the packages would throw when they decode user and password. */
const escapeCredentials = (proxy: URL): string => {
  const escaped = new URL(proxy)
  escaped.username = proxy.username.replace(unescapedPercent, '%25')
  escaped.password = proxy.password.replace(unescapedPercent, '%25')
  return escaped.href
}
