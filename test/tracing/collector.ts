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
  /** The parsed body if it is JSON, otherwise `undefined`. */
  readonly json: unknown
}

/** A local OTLP/HTTP collector. */
export interface Collector extends TestServer {
  readonly receivedExports: ReadonlyArray<ReceivedExport>
  /** All spans received so far. */
  readonly spans: () => ReadonlyArray<ReceivedSpan>
}

/** Answers a request to a collector. `index` counts the requests from 0. */
export type AnswerHandler = (response: ServerResponse, index: number) => void

/** Accepts all spans. */
export const acceptAll: AnswerHandler = (response) => response.end()

/** Starts a collector, by default one that accepts all spans. With `tls` it uses HTTPS. */
export const startCollector = async (
  answer: AnswerHandler = acceptAll,
  tls?: ServerOptions,
): Promise<Collector> => {
  const receivedExports: ReceivedExport[] = []
  const receive: RequestListener = async (request, response) => {
    const encodedBody = await readRequestBody(request).catch(() => undefined)
    // The client closed the connection before it had sent everything.
    if (encodedBody === undefined) return
    const isCompressed = request.headers['content-encoding'] === 'gzip'
    const body = isCompressed ? gunzipSync(encodedBody) : encodedBody
    const isJson = request.headers['content-type'] === 'application/json'
    receivedExports.push({
      path: request.url ?? '',
      headers: request.headers,
      spans: isJson ? [] : decodeSpans(body),
      json: isJson ? JSON.parse(body.toString()) : undefined,
    })
    answer(response, receivedExports.length - 1)
  }
  const server = await startHttpServer(receive, tls)
  return { ...server, receivedExports, spans: () => receivedExports.flatMap(({ spans }) => spans) }
}
