import type { Agent } from 'node:http'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { getProxyForUrl } from 'proxy-from-env'
import { isLoopback } from './loopback'
import { transportError } from './transport-error'

/** An exchange through a proxy. */
export interface Proxy {
  readonly agent: Agent
  /** The exchange's result, with a refusal by the proxy itself, and the proxy's name, in its error. */
  readonly watch: <A>(exchange: Promise<A>) => Promise<A>
}

/** What an error of an exchange through a proxy carries; `via` is `host:port` without credentials. */
export interface ViaProxy {
  readonly via: string
}

/**
 * The way to `url` through the proxy that the environment names, for `http` targets too by way
 * of CONNECT; `undefined` for loopback and for hosts that `NO_PROXY` names. D24
 */
export const proxyFor = (url: string, signal: AbortSignal): Proxy | undefined => {
  const { hostname, protocol } = new URL(url)
  const setting = isLoopback(hostname) ? '' : withScheme(getProxyForUrl(url), protocol)
  if (setting === '') return undefined
  if (!URL.canParse(setting)) throw failed('the proxy address is not a valid URL')
  const proxy = new URL(setting)
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    throw failed('the proxy address must begin with http:// or https://')
  const headers = authorization(proxy)
  // The agent prints its URL when DEBUG is set.
  proxy.username = ''
  proxy.password = ''
  // The signal also closes a connection that still waits for the proxy's word.
  const agent = new HttpsProxyAgent(proxy, { signal, headers })
  let refusal: Error | undefined
  agent.on('proxyConnect', ({ statusCode }) => {
    if (statusCode !== 200) refusal = failed(`the proxy answered ${statusCode}`)
  })
  const watch = async <A>(exchange: Promise<A>): Promise<A> => {
    try {
      const result = await exchange
      if (refusal !== undefined) throw refusal
      return result
    } catch (error) {
      const cause = refusal ?? error
      throw cause instanceof Error ? Object.assign(cause, { via: proxy.host }) : cause
    }
  }
  return { agent, watch }
}

/**
 * A setting without a scheme (`proxy.example:3128`) means `http://`. The library puts the target's scheme
 * there instead, which would be TLS to a proxy that does not speak it.
 */
const withScheme = (setting: string, protocol: string): string => {
  const bare = setting.startsWith(`${protocol}//`) ? setting.slice(protocol.length + 2) : ''
  const given = [protocol.replace(':', '_proxy'), 'all_proxy']
    .flatMap((name) => [process.env[name], process.env[name.toUpperCase()]])
    .includes(bare)
  return bare !== '' && given ? `http://${bare}` : setting
}

const authorization = (proxy: URL): { readonly 'Proxy-Authorization'?: string } => {
  if (proxy.username === '' && proxy.password === '') return {}
  const pair = `${unescaped(proxy.username)}:${unescaped(proxy.password)}`
  return { 'Proxy-Authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
}

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const failed = (message: string): Error => transportError('proxy', message)
