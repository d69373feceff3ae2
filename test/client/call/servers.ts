import type { Socket } from 'node:net'
import type { Certificate } from '../../support/certificate'
import { type Listening, tcpServer } from '../../support/servers'

/** A server that is told its bytes, and what it saw. */
export interface Server extends Listening {
  /** Everything that came in, as text. */
  readonly received: () => string
}

/** Handles one connection after its first bytes came. */
export type Handle = (socket: Socket, connection: number) => void

/** Starts a plain TCP server, or a TLS server with a certificate. */
export const serve = async (handle: Handle, certificate?: Certificate): Promise<Server> => {
  const texts: string[] = []
  let count = 0
  const server = await tcpServer((socket) => {
    const number = ++count
    socket.on('data', (bytes) => texts.push(String(bytes)))
    socket.once('data', () => handle(socket, number))
  }, certificate)
  return { ...server, received: () => texts.join('') }
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

/** The status line of a success, its length header, and a body that decodes. */
export const ok = '200 OK'
export const lengthOf = (body: string | Uint8Array) => ({ 'Content-Length': body.length })
export const good = '{"models":[]}'
