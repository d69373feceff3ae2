import type { IncomingMessage, RequestOptions, request } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import { transportError } from '../node/error-reason'
import type { Fetch, FetchInit, FetchResponse } from '../runtime'

/**
 * Creates an HTTP client on Node's own modules, with its own connections, which are kept alive and reused. It follows no
 * redirects (D5), reads nothing of the environment, uses no proxy, and always checks certificates (D60).
 */
export const createDirectFetch = (): Fetch => {
  /** What is known of an address: a client has two, on the same service. */
  const places = new Map<string, HttpPlace>()
  const preparePlace = (url: string): HttpPlace => {
    const address = new URL(url)
    const { hostname, port, path, protocol } = urlToHttpOptions(address)
    const { Agent, request } = process.getBuiltinModule(
      protocol === 'https:' ? 'node:https' : 'node:http',
    )
    const other = [...places.values()].find(({ options }) => options.protocol === protocol)
    const agent = other?.options.agent ?? new Agent({ keepAlive: true, rejectUnauthorized: true })
    const listHeaders = prepareLists(address.host)
    const place = { request, listHeaders, options: { protocol, hostname, port, path, agent } }
    places.set(url, place)
    return place
  }
  return (url, init) => sendRequest(places.get(url) ?? preparePlace(url), init)
}

/** How requests to an address are made. */
interface HttpPlace {
  readonly request: typeof request
  readonly options: RequestOptions
  /** The headers of a request, with `Host`, as a list of names and values. */
  readonly listHeaders: (headers: FetchInit['headers']) => ReadonlyArray<string>
}

/**
 * Prepares the lists of headers of an address. Node writes a list as it is, while an object takes it a tenth of an
 * exchange more. The calls of a client with a body all have the same headers, and so have those without one.
 */
const prepareLists = (host: string): HttpPlace['listHeaders'] => {
  const lists = new WeakMap<object, ReadonlyArray<string>>()
  return (headers) => {
    const known = lists.get(headers)
    if (known !== undefined) return known
    const list = ['Host', host, ...Object.entries(headers).flat()]
    lists.set(headers, list)
    return list
  }
}

const sendRequest = (
  { request: start, options, listHeaders }: HttpPlace,
  { method, headers: given, body, ending }: FetchInit,
): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    const text = body && textOfBody(body)
    const length = text === undefined ? [] : ['Content-Length', String(Buffer.byteLength(text))]
    const headers = [...listHeaders(given), ...length]
    const request = start({ method, headers, ...options }, (response) =>
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
    request.end(text)
  })

/** A body as a text, which Node sends together with the headers, but bytes after them, which takes it twice as long. */
export const textOfBody = (body: NonNullable<FetchInit['body']>): string =>
  typeof body === 'string'
    ? body
    : Buffer.concat(body instanceof Uint8Array ? [body] : body).toString()

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
