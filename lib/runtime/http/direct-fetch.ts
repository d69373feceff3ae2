import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import { transportError } from '../node/error-reason'
import type { Fetch, FetchInit, FetchResponse } from '../runtime'

/**
 * Creates an HTTP client on Node's own modules, with its own connections, which are kept alive and reused. It follows no
 * redirects (D5), reads nothing of the environment, uses no proxy, and always checks certificates (D60).
 */
export const createDirectFetch = (): Fetch => {
  const agents = new Map<string, Agent>()
  const agentFor = (protocol: string): Agent => {
    const known = agents.get(protocol)
    if (known !== undefined) return known
    const agent = new (moduleFor(protocol).Agent)({ keepAlive: true, rejectUnauthorized: true })
    agents.set(protocol, agent)
    return agent
  }
  /** The options of requests by address, of which a client has two. */
  const places = new Map<string, RequestOptions>()
  return (url, init) => {
    const place = places.get(url) ?? urlToHttpOptions(new URL(url))
    places.set(url, place)
    return exchange({ ...place, agent: agentFor(String(place.protocol)) }, init)
  }
}

const moduleFor = (protocol: string | null | undefined) =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')

const exchange = (
  place: RequestOptions,
  { method, headers, body, ending }: FetchInit,
): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    const request = moduleFor(place.protocol).request({ ...place, method, headers }, (response) =>
      resolve(describeResponse(response)),
    )
    request.once('error', reject)
    // Without a listener Node closes the connection without an error, and the call would wait forever.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(transportError('protocolSwitch', 'the server switched to another protocol'))
    })
    ending.whenOver(() => {
      request.destroy()
      // Deno tells of this only by closing the request.
      reject(new Error('the exchange is over'))
    })
    // Node sends a text together with the headers, but bytes after them, which takes it twice as long.
    request.end(body && textOfBody(body))
  })

/** The text of a body. Bodies are JSON, so that their bytes are text. */
export const textOfBody = (body: NonNullable<FetchInit['body']>): string =>
  Buffer.concat(body instanceof Uint8Array ? [body] : body).toString()

const describeResponse = (response: IncomingMessage): FetchResponse => {
  const { headers, statusCode = 0 } = response
  const header = (name: string): string | null => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }
  const endsWithConnection =
    headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return { status: statusCode, header, body: response, endsWithConnection }
}
