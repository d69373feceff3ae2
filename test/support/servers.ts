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

/** The functions that close the servers of the running test, in the order in which the servers were started. */
let closeFunctions: Array<() => Promise<void>> = []

/** Calls `close` after the running test. The test may have closed the server itself. */
export const closeLater = (close: () => Promise<void>): void => {
  closeFunctions.push(close)
}

/** Closes the servers of each test of a suite after the test, the last one first. */
export const closeAfterEach = (test: Test): void => {
  test.before.each(() => {
    closeFunctions = []
  })
  test.after.each(async () => {
    for (const close of closeFunctions.reverse()) await close()
  })
}

/** A server that listens on a free port of 127.0.0.1. */
export interface TestServer {
  readonly port: number
  /** `http://127.0.0.1:<port>`, or `https:` with a certificate. */
  readonly url: string
  /** Returns the number of connections so far. */
  readonly countConnections: () => number
  /** Resolves once no connection is open. */
  readonly waitUntilDisconnected: () => Promise<void>
  /** Ends every connection and stops listening. */
  readonly close: () => Promise<void>
}

/** Lets a server of Node listen on a free port. The process can end although the server is open. */
export const listen = async (server: Server): Promise<TestServer> => {
  const openSockets = new Set<Socket>()
  let connectionCount = 0
  server.on('connection', (socket: Socket) => {
    connectionCount += 1
    openSockets.add(socket)
    socket.on('close', () => {
      openSockets.delete(socket)
      if (openSockets.size === 0) server.emit('disconnected')
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done())
      for (const socket of openSockets) socket.destroy()
    })
  closeLater(close)
  return {
    port,
    url: `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${port}`,
    countConnections: () => connectionCount,
    waitUntilDisconnected: async () => {
      if (openSockets.size > 0) await once(server, 'disconnected')
    },
    close,
  }
}

/** Starts an HTTP server, or an HTTPS server if `tls` has a certificate. */
export const startHttpServer = (
  answer: RequestListener,
  tls?: ServerOptions,
): Promise<TestServer> =>
  listen(tls === undefined ? createServer(answer) : createHttpsServer(tls, answer))

/** Starts a TCP server, or a TLS server if `tls` has a certificate. */
export const startTcpServer = (
  accept: (socket: Socket) => void,
  tls?: ServerOptions,
): Promise<TestServer> => {
  const acceptSocket = (socket: Socket): void => {
    // A client may disconnect at any time.
    socket.on('error', () => undefined)
    accept(socket)
  }
  return listen(
    tls === undefined ? createTcpServer(acceptSocket) : createTlsServer(tls, acceptSocket),
  )
}

/** Reads the whole body of a request. */
export const readRequestBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
