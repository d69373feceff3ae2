import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'

/** Something that listens on this machine. */
export interface Listening {
  readonly port: number
  readonly url: string
  readonly close: () => Promise<void>
}

const listening = async (server: Server, end: () => void): Promise<Listening> => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        end()
      }),
  }
}

/** An HTTP service. */
export const httpService = (answer: RequestListener): Promise<Listening> => {
  const server = createServer(answer)
  return listening(server, () => server.closeAllConnections())
}

/** Whatever accepts connections. */
export const tcpService = (accept: (socket: Socket) => void): Promise<Listening> => {
  const open = new Set<Socket>()
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    // The client is free to go away at any time.
    socket.on('error', () => undefined)
    accept(socket)
  })
  return listening(server, () => {
    for (const socket of open) socket.destroy()
  })
}

/** A request's whole body. */
export const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
