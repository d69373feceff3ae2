import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { decodeSpans, type ReceivedSpan } from './otlp'

/** One export as it arrived. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly spans: ReadonlyArray<ReceivedSpan>
}

/** A local OTLP/HTTP collector. */
export interface Collector {
  readonly url: string
  readonly received: ReadonlyArray<Received>
  readonly spans: () => ReadonlyArray<ReceivedSpan>
  /** Resolves when a request has come. */
  readonly asked: () => Promise<void>
  /** Resolves when no client holds a connection any more. */
  readonly idle: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Answers request number `index`. */
export type Answer = (response: ServerResponse, index: number) => void

const accept: Answer = (response) => response.end()

/** Starts a collector; it accepts everything unless told otherwise. */
export const startCollector = async (
  answer: Answer = accept,
  tls?: ServerOptions,
): Promise<Collector> => {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const server: Server = tls === undefined ? createServer() : createTlsServer(tls)
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) server.emit('idle')
    })
  })
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The client went away in the middle of it.
      return
    }
    const raw = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    const json = request.headers['content-type'] === 'application/json'
    const spans = decodeSpans(body, json)
    received.push({ path: request.url ?? '', headers: request.headers, spans })
    server.emit('asked')
    answer(response, received.length - 1)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    received,
    spans: () => received.flatMap((one) => one.spans),
    asked: async () => {
      if (received.length === 0) await once(server, 'asked')
    },
    idle: async () => {
      if (sockets.size > 0) await once(server, 'idle')
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
