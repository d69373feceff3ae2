import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import type { Fetch, FetchInit, FetchResponse } from '../runtime'
import { transportError } from './transport-error'

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
  return (url, init) => exchange(new URL(url), init, agentFor)
}

const moduleFor = (protocol: string) =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')

const exchange = (
  target: URL,
  { method, headers, body, signal }: FetchInit,
  agentFor: (protocol: string) => Agent,
): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    const pieces = body === undefined || body instanceof Uint8Array ? [body ?? noBytes] : body
    const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const options: RequestOptions = {
      ...{ method, signal, agent: agentFor(target.protocol) },
      headers: body === undefined ? headers : { ...headers, 'Content-Length': length },
    }
    const request = moduleFor(target.protocol).request(target, options, (response) =>
      resolve(describeResponse(response)),
    )
    request.once('error', reject)
    // Without a listener Node closes the connection without an error, and the call would wait forever.
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(transportError('protocolSwitch', 'the server switched to another protocol'))
    })
    for (const piece of pieces.slice(0, -1)) request.write(piece)
    request.end(pieces.at(-1))
  })

const noBytes = new Uint8Array()

const describeResponse = (response: IncomingMessage): FetchResponse => {
  const { headers, statusCode = 0 } = response
  const header = (name: string): string | null => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? null : String(value)
  }
  const endsWithConnection =
    header('content-length') === null && header('transfer-encoding') === null
  return { status: statusCode, header, body: response, endsWithConnection }
}
