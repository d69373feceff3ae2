import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { gunzipSync } from 'node:zlib'
import { bodyOf, httpServer, type Listening } from '../support/servers'
import { decodeSpans, type ReceivedSpan } from './otlp'

/** One export as it arrived. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The received protobuf messages. */
  readonly spans: ReadonlyArray<ReceivedSpan>
  /** The received JSON messages. */
  readonly json: unknown
}

/** A local OTLP/HTTP collector. */
export interface Collector extends Listening {
  readonly received: ReadonlyArray<Received>
  readonly spans: () => ReadonlyArray<ReceivedSpan>
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
  const take: RequestListener = async (request, response) => {
    const raw = await bodyOf(request).catch(() => undefined)
    // The client went away in the middle of it.
    if (raw === undefined) return
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
    const isJson = request.headers['content-type'] === 'application/json'
    const json: unknown = isJson ? JSON.parse(body.toString()) : undefined
    const spans = isJson ? [] : decodeSpans(body)
    received.push({ path: request.url ?? '', headers: request.headers, spans, json })
    answer(response, received.length - 1)
  }
  const server = await httpServer(take, tls)
  return { ...server, received, spans: () => received.flatMap((one) => one.spans) }
}
