import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { readRequestBody, startHttpServer, type TestServer } from '../support/servers'
import { decodeSpans, type ReceivedSpan } from './decode-spans'

/** A request that a collector received. */
interface ReceivedExport {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The spans of a protobuf body. Empty for a JSON body. */
  readonly spans: ReadonlyArray<ReceivedSpan>
  /** The JSON body, if it is JSON. */
  readonly json: unknown
}

/** A local OTLP/HTTP collector. */
export interface Collector extends TestServer {
  readonly received: ReadonlyArray<ReceivedExport>
  /** All spans received so far. */
  readonly spans: () => ReadonlyArray<ReceivedSpan>
}

/** Answers a request. `index` counts the requests from 0. */
export type Answer = (response: ServerResponse, index: number) => void

const acceptAll: Answer = (response) => response.end()

/** Starts a collector, with HTTPS if there are TLS options. */
export const startCollector = async (
  answer: Answer = acceptAll,
  tls?: ServerOptions,
): Promise<Collector> => {
  const received: ReceivedExport[] = []
  const receive: RequestListener = async (request, response) => {
    const raw = await readRequestBody(request).catch(() => undefined)
    // The client closed the connection before it had sent everything.
    if (raw === undefined) return
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    const isJson = request.headers['content-type'] === 'application/json'
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      spans: isJson ? [] : decodeSpans(body),
      json: isJson ? JSON.parse(body.toString()) : undefined,
    })
    answer(response, received.length - 1)
  }
  const server = await startHttpServer(receive, tls)
  return { ...server, received, spans: () => received.flatMap(({ spans }) => spans) }
}
