import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { type Failure, usage } from '../../failure/failure'
import { reasonOf } from '../../runtime/node/error-reason'
import type { Clock } from '../../runtime/runtime'
import { bodyTooSlow, headersTooLarge, invalidHttp, type Problem } from '../contract/problem'
import type { Reply } from './call'
import { requestListener, type Service } from './router'
import { discardLimits } from './send'

/** The address and the time limits of the server. Times are in milliseconds. */
interface ServerOptions {
  readonly host: string
  readonly port: number
  /** Time for a request's headers, and again for its body. */
  readonly readMs: number
  /** How long an idle connection is kept open. */
  readonly idleMs: number
  /** How long stopping waits for requests in progress. D43 */
  readonly drainMs: number
  readonly clock: Clock
}

/** A server that accepts connections. */
export interface Listening {
  readonly url: string
  /** Stops accepting connections, waits for requests in progress, then cuts off the rest. D43 */
  readonly stop: () => Promise<void>
}

/** Starts to accept connections. Fails with a usage error where the address is in use or not available. D36 */
export const listen =
  (service: Service, options: ServerOptions): TE.TaskEither<Failure, Listening> =>
  () =>
    new Promise((resolve) => {
      const server = newServer(service, options)
      const sockets = trackSockets(server)
      const refuse = (error: NodeJS.ErrnoException): void =>
        resolve(
          E.left(
            usage(`listen on ${formatAddress(options.host, options.port)}: ${reasonOf(error)}`),
          ),
        )
      server.once('error', refuse)
      server.listen(options.port, options.host, () => {
        server.off('error', refuse)
        const { port } = server.address() as AddressInfo
        resolve(
          E.right({
            url: `http://${formatAddress(options.host, port)}`,
            stop: () => stop(server, sockets, service, options),
          }),
        )
      })
    })

const formatAddress = (host: string, port: number): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`

const newServer = (service: Service, options: ServerOptions): Server => {
  const listener = requestListener(service)
  const server = createServer(
    {
      headersTimeout: options.readMs,
      requestTimeout: options.readMs * 2,
      keepAliveTimeout: options.idleMs,
      connectionsCheckingInterval: Math.min(1000, options.readMs),
      requireHostHeader: false,
    },
    listener,
  )
  // Node would drop all headers after the first 2,000 unseen, a second Host among them. Their size is limited anyway.
  server.maxHeadersCount = 0
  // Without these listeners Node would answer `Expect: 100-continue` itself. `readBody` answers it, once the
  // request's key has been accepted.
  server.on('checkContinue', listener)
  server.on('checkExpectation', listener)
  const refuse = socketRefuser(service, options.clock)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(problemOf(error), socket as Socket),
  )
  server.on('connect', (_: IncomingMessage, socket) =>
    refuse(invalidHttp('CONNECT is not supported'), socket as Socket),
  )
  return server
}

const problemOf = (error: NodeJS.ErrnoException): Problem => {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return bodyTooSlow
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge
  return invalidHttp('Bad Request')
}

/**
 * Answers input that never became a request, and ends its connection. Where responses to earlier requests on the same
 * connection are due, it ends after these, and the input gets no answer, which the caller would mistake for one of them.
 * What the caller still sends is read and thrown away before the connection ends, as in `send`. D71
 */
const socketRefuser = (service: Service, clock: Clock) => {
  const refused = new WeakSet<Socket>()
  return (problem: Problem, socket: Socket): void => {
    // Node reports an error for every further chunk after malformed HTTP. Only the first is answered.
    if (refused.has(socket)) return
    refused.add(socket)
    if (!socket.writable || socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    const due = [...service.calls.live].filter(
      ({ incoming, outgoing }) =>
        incoming.socket === socket && (incoming.complete || outgoing.headersSent),
    )
    const last = due.at(-1)
    if (last !== undefined) {
      last.outgoing.once('close', () => socket.destroySoon())
      return
    }
    socket.write(formatReply(service.calls.refuse(problem)))
    socket
      .once(
        'close',
        clock.timer(discardLimits.ms, () => socket.destroySoon()),
      )
      .resume()
  }
}

/**
 * Writes a whole HTTP response as text, since Node provides no response object for input that is not a request.
 */
const formatReply = (reply: Reply): string => {
  const lines = Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`)
  const body = String(reply.body)
  return [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`,
    ...lines,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

/** Keeps the set of open connections. Node's own list leaves out those on which nothing has been sent yet. */
const trackSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  return sockets
}

/**
 * Stops accepting connections and closes those without a request. The others close after their response; those
 * still open after `drainMs` are cut off. D43
 */
const stop = async (
  server: Server,
  sockets: ReadonlySet<Socket>,
  service: Service,
  options: ServerOptions,
): Promise<void> => {
  const { live } = service.calls
  service.calls.drain()
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const busy = new Set([...live].map((call) => call.incoming.socket))
  for (const socket of sockets) if (!busy.has(socket)) socket.destroySoon()
  const patience = new AbortController()
  await Promise.race([closed, options.clock.sleep(options.drainMs, patience.signal)])
  patience.abort()
  for (const call of live) call.end.abort()
  server.closeAllConnections()
  await closed
}
