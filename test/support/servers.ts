import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls'
import type { Test } from 'uvu'

/** What closes the servers that the test under way has started, in the order of their starts. */
let closings: Array<() => Promise<void>> = []

/** Has a server closed when the test under way ends. Closing it twice does no harm. */
export const closeLater = (close: () => Promise<void>): void => void closings.push(close)

/** Closes after each test of a suite the servers that it has started, the last one first. */
export const closeAfterEach = (test: Test): void => {
  test.before.each(() => {
    closings = []
  })
  test.after.each(async () => {
    for (const close of closings.reverse()) await close()
  })
}

/** A server on a free port of 127.0.0.1. */
export interface Listening {
  readonly port: number
  /** `http://127.0.0.1:<port>`, or `https:` with a certificate. */
  readonly url: string
  /** Connections so far. */
  readonly connections: () => number
  /** Resolves when no connection is open. */
  readonly quiet: () => Promise<void>
  /** Ends every connection and stops listening. */
  readonly close: () => Promise<void>
}

/** Starts any of Node's servers. One that nobody closes does not keep its file from ending. */
export const listen = async (server: Server): Promise<Listening> => {
  const open = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    open.add(socket)
    socket.on('close', () => {
      open.delete(socket)
      if (open.size === 0) server.emit('quiet')
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done())
      for (const socket of open) socket.destroy()
    })
  closeLater(close)
  return {
    port,
    url: `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections: () => count,
    quiet: async () => {
      if (open.size > 0) await once(server, 'quiet')
    },
    close,
  }
}

/** An HTTP server; HTTPS with a certificate. */
export const startHttpServer = (answer: RequestListener, tls?: ServerOptions): Promise<Listening> =>
  listen(tls === undefined ? createServer(answer) : createHttpsServer(tls, answer))

/** A server that is told its bytes; behind TLS with a certificate. */
export const startTcpServer = (
  accept: (socket: Socket) => void,
  tls?: ServerOptions,
): Promise<Listening> => {
  const accepted = (socket: Socket): void => {
    // A client is free to go away at any time.
    socket.on('error', () => undefined)
    accept(socket)
  }
  return listen(tls === undefined ? createTcpServer(accepted) : createTlsServer(tls, accepted))
}

/** A request's whole body. */
export const readRequestBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
