import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from '../certificate'

/** A server that is told its bytes, and what it saw. */
export interface Server {
  readonly port: number
  /** Connections so far. */
  readonly connections: () => number
  /** Everything that came in, as text. */
  readonly received: () => string
  /** Resolves when every connection has closed. */
  readonly quiet: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Handles one connection after its first bytes came. */
export type Handle = (socket: Socket, connection: number) => void

/** Starts a plain TCP server on a free port of 127.0.0.1. */
export const serve = (handle: Handle): Promise<Server> =>
  started(createServer(), 'connection', handle)

/** Starts a TLS server on a free port of 127.0.0.1. */
export const serveTls = (certificate: Certificate, handle: Handle): Promise<Server> =>
  started(createTlsServer(certificate), 'secureConnection', handle)

const started = async (server: NetServer, event: string, handle: Handle): Promise<Server> => {
  const open = new Set<Socket>()
  const texts: Array<string> = []
  let count = 0
  let onQuiet = (): void => undefined
  server.on(event, (socket: Socket) => {
    const number = ++count
    open.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      if (open.size === 0) onQuiet()
    })
    socket.on('data', (bytes) => texts.push(String(bytes)))
    socket.once('data', () => handle(socket, number))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => count,
    received: () => texts.join(''),
    quiet: () =>
      new Promise((done) => {
        if (open.size === 0) done()
        onQuiet = done
      }),
    close: () =>
      new Promise((done) => {
        for (const socket of open) socket.destroy()
        server.close(() => done())
      }),
  }
}

/** A response's bytes: status line, headers, body. */
export const response = (
  status: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Uint8Array = '',
): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ])
}
