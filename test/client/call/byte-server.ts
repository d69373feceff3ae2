import type { Socket } from 'node:net'
import type { Certificate } from '../../support/certificate'
import { startTcpServer, type TestServer } from '../../support/servers'

/** A server that responds with bytes, so that tests can send invalid HTTP. */
export interface ByteServer extends TestServer {
  /** Returns everything that was received, as text. */
  readonly received: () => string
}

/** Handles a connection after its first bytes were received. The first connection has number 1. */
export type ConnectionHandler = (socket: Socket, connectionNumber: number) => void

/** Starts a TCP server, or a TLS server if you pass a certificate. */
export const startByteServer = async (
  handle: ConnectionHandler,
  certificate?: Certificate,
): Promise<ByteServer> => {
  const texts: string[] = []
  let connectionCount = 0
  const server = await startTcpServer((socket) => {
    connectionCount += 1
    const connectionNumber = connectionCount
    socket.on('data', (bytes) => texts.push(String(bytes)))
    socket.once('data', () => handle(socket, connectionNumber))
  }, certificate)
  return { ...server, received: () => texts.join('') }
}

/** Formats an HTTP response. `status` is a code and its reason: `200 OK`. */
export const formatResponse = (
  status: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Uint8Array = '',
): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`)
  return Buffer.concat([head, Buffer.from(body)])
}

/** Creates the header with the length of a body. */
export const createLengthHeader = (body: string | Uint8Array) => ({ 'Content-Length': body.length })

/** A valid response body of `GET /v1/models`. */
export const modelsBody = '{"models":[]}'
