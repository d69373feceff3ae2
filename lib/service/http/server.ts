import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { encode } from '../../codec/json/draft'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import { callerDisconnected, invalidHttp } from '../contract/problem'
import { servedDialects } from '../dialects/served-dialects'
import { createApp } from './app'
import type { OutgoingResponse, Responder, Service } from './service'

/** The address and the time limits of the server. Times are in milliseconds. */
interface ServerOptions {
  readonly host: string
  readonly port: number
  /** The time for a request's headers, and again for its body. */
  readonly readTimeoutMs: number
  /** The maximum idle time of a connection. */
  readonly idleTimeoutMs: number
  /** The maximum time that stopping waits for requests in flight. */
  readonly drainTimeoutMs: number
}

/** A server that accepts connections. */
export interface Listening {
  readonly url: string
  readonly countInFlight: () => number
  /** Stops accepting connections, waits up to `drainTimeoutMs` for requests in flight, then closes all connections. */
  readonly stop: () => Promise<void>
}

/** Starts to accept connections. Fails with a usage error if the address is in use or unavailable. */
export const listen =
  (service: Service, options: ServerOptions): TE.TaskEither<Failure, Listening> =>
  () =>
    new Promise((resolve) => {
      const server = createNodeServer(service, options)
      const fail = (error: NodeJS.ErrnoException): void => {
        const address = formatAddress(options.host, options.port)
        const advice = error.code === 'EADDRINUSE' ? '; choose another port by --port' : ''
        resolve(E.left(usage(`listen on ${address}: ${reasonOf(error)}${advice}`)))
      }
      server.once('error', fail)
      server.listen(options.port, options.host, () => {
        server.off('error', fail)
        // A server on a TCP port has an address of this type.
        const { port } = server.address() as AddressInfo
        resolve(
          E.right({
            url: `http://${formatAddress(options.host, port)}`,
            countInFlight: () => service.inFlight.size,
            stop: () => stopServer(server, service, options.drainTimeoutMs),
          }),
        )
      })
    })

const formatAddress = (host: string, port: number): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`

const createNodeServer = (service: Service, options: ServerOptions): Server => {
  const app = createApp(service)
  // @hono/node-server itself refuses a request if its target and `Host` do not form a valid URL.
  const errorHandler = (): Response => createTargetRefusal(service.createRequestId())
  // The host of the request's URL, if an HTTP/1.0 request has no `Host`.
  const hostname = 'localhost'
  const listener = getRequestListener(
    (request, { incoming, outgoing }) => {
      // Only a server for HTTP/2 has requests and responses of other classes.
      const bindings = { incoming, outgoing } as HttpBindings
      return app.fetch(request, { ...bindings, responder: createResponder(bindings.outgoing) })
    },
    { hostname, errorHandler },
  )
  const server = createServer(
    {
      headersTimeout: options.readTimeoutMs,
      // The step `readBody` has a shorter timeout. This one is for requests that are refused before that step. Headers and body may
      // take `readTimeoutMs` each, so it is longer than both.
      requestTimeout: options.readTimeoutMs * 3,
      keepAliveTimeout: options.idleTimeoutMs,
      // Node looks for connections over these limits once in this time.
      connectionsCheckingInterval: Math.min(1000, options.readTimeoutMs),
      // The step `requireHost` checks the header.
      requireHostHeader: false,
    },
    listener,
  )
  // By default Node drops headers after the first 2,000, so `requireHost` would miss a second Host among them.
  server.maxHeadersCount = 0
  return server
}

/** Creates the functions that send a response over HTTP. */
const createResponder = (outgoing: ServerResponse): Responder => ({
  send: ({ status, headers, body }) =>
    // TypeScript's Response does not accept a SharedArrayBuffer, which this body never is.
    new Response(body as string | Uint8Array<ArrayBuffer>, { status, headers }),
  write: (writer, headers) => {
    writer(outgoing, headers)
    return RESPONSE_ALREADY_SENT
  },
  sendNothing: () => RESPONSE_ALREADY_SENT,
})

/** Creates the 400 response to a request without a valid URL. It has no route, so the problem is in the dialect of /v1/questions. */
const createTargetRefusal = (id: string): Response => {
  const [dialect] = servedDialects
  const { status, body } = dialect.encodeFailure(invalidHttp('invalid request target or Host'))
  const headers = {
    'Content-Type': 'application/json',
    'x-service-request-id': id,
    Connection: 'close',
  }
  return new Response(encode(body).toString(), { status, headers })
}

/**
 * Stops accepting connections and waits for requests in flight, up to `drainTimeoutMs`. Then it closes all connections, because
 * Node's own `server.close` would also wait for new connections that have sent no byte yet.
 */
const stopServer = async (
  server: Server,
  { inFlight, clock }: Service,
  drainTimeoutMs: number,
): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  for (const { outgoing } of inFlight) closeAfterResponse(outgoing)
  // A connection that was open before may still send its first request. This listener runs before the one that answers.
  server.prependListener('request', (_, outgoing) => closeAfterResponse(outgoing))
  const sleepController = new AbortController()
  const drainTimeout = clock.sleep(drainTimeoutMs, sleepController.signal)
  await Promise.race([waitForResponses(inFlight), drainTimeout])
  // Cancels the timer, which would keep the process alive.
  sleepController.abort()
  for (const { abortController } of inFlight) abortController.abort(callerDisconnected)
  server.closeAllConnections()
  await closed
}

/** Makes Node send `Connection: close` with a response. */
const closeAfterResponse = (outgoing: Pick<OutgoingResponse, 'shouldKeepAlive'>): void => {
  outgoing.shouldKeepAlive = false
}

/** Waits until no request is in flight. The loop includes requests that begin during the wait. */
const waitForResponses = async (inFlight: Service['inFlight']): Promise<void> => {
  for (const { outgoing } of inFlight)
    await new Promise<void>((resolve) => outgoing.once('close', resolve))
}
