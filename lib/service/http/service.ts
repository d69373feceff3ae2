import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Context, MiddlewareHandler } from 'hono'
import type { Recorder } from '../../replay/record/recorder'
import type { Clock } from '../../runtime/runtime'
import type { Span, Tracer } from '../../runtime/tracer'
import type { Logger } from '../../tracing/log'
import type { AnswerLog } from '../answer-log/answer-log'
import type { AnsweredAsk } from '../answer-log/answered-request'
import type { Engine, ResponseWriter } from '../contract/engine'
import type { ServedDialect } from '../dialects/served-dialect'
import type { KeyHolder, Keys } from '../keys/keys'
import type { Metrics } from '../observe/metrics'
import type { FindPeer } from '../observe/peer'
import type { Readiness } from '../observe/readiness'
import type { CallEngine } from './call-engine'

/** A running service: its components and settings, which the steps of all requests share. */
export interface Service {
  readonly engine: Engine
  readonly callEngine: CallEngine
  readonly keys: Keys
  /** The maximum number of requests per minute and key; 0 means no limit. */
  readonly maxRequestsPerMinute: number
  /** The maximum number of requests that wait or are in progress. One key may have half of them. */
  readonly maxWaiting: number
  readonly maxBodyBytes: number
  /** The maximum time for the headers of a request, and again for its body, in milliseconds. */
  readonly readTimeoutMs: number
  /** The maximum time in which a caller reads no byte of its response, in milliseconds. */
  readonly idleTimeoutMs: number
  readonly clock: Clock
  readonly tracer: Tracer
  readonly log: Logger
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly findPeer: FindPeer
  readonly createRequestId: () => string
  /** Writes exchanges to files, if the service records them. */
  readonly recorder?: Pick<Recorder, 'record'> | undefined
  /** Logs the answers, if the service keeps an answer log. */
  readonly answerLog?: Pick<AnswerLog, 'add'> | undefined
  /** The requests whose response has not been sent completely. */
  readonly inFlight: Set<ServedRequest>
}

/** One request while the service works on it. */
export interface ServedRequest {
  readonly id: string
  /** The route's path, or `other`. */
  readonly route: string
  /** The dialect of the route: the form of its requests and responses. Routes without a dialect have the one of `/v1/questions`. */
  readonly dialect: ServedDialect
  /** The caller's connection. A stopping service waits until it is closed. */
  readonly outgoing: OutgoingResponse
  readonly span: Span
  /** Aborted, with a `Problem` as the reason, if the caller disconnects or the answer times out. */
  readonly abortController: AbortController
  /** More fields for the access log. A value is short and contains no state, question or key. */
  readonly logFields: Record<string, string | number | undefined>
  /** The holder of the request's key. Set once the key is accepted. */
  holder?: KeyHolder
  /** Empty before the step `readBody`. */
  body: Uint8Array
  /** The request and its answers, if the engine answers questions and has answered. */
  answered?: AnsweredAsk
  /** Set once the response is known. */
  reply?: ServedReply
}

/** A response before it is sent. */
export interface ServedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Sends a response that Hono cannot send unchanged. */
  readonly write?: ResponseWriter
  /** The reason why the engine failed, for the operator's log. */
  readonly cause?: string
}

/** The part of Node's request that the steps of a request read. A caller in this process has no Node request. */
export type IncomingRequest = Readable &
  Pick<IncomingMessage, 'httpVersion' | 'method' | 'url' | 'headers' | 'rawHeaders'> & {
    readonly socket: { readonly remoteAddress?: string | undefined }
  }

/** The part of Node's response that the steps of a request use. */
export interface OutgoingResponse {
  readonly once: (event: 'close', run: () => void) => unknown
  /** `true` if the connection was closed. */
  readonly destroyed: boolean
  /** `true` if the caller has got the whole response. */
  readonly writableFinished: boolean
  shouldKeepAlive: boolean
  /** Closes the connection if the caller reads no byte for this time in milliseconds. */
  readonly setTimeout: (ms: number) => unknown
}

/** Sends the response to one request. Each function returns the value that Hono needs. */
export interface Responder {
  readonly send: (response: SentResponse) => Response
  /** Lets a function of the engine send the response. */
  readonly write: (writer: ResponseWriter, headers: ServedReply['headers']) => Response
  /** Sends nothing, because the caller has disconnected. */
  readonly sendNothing: () => Response
}

/** A response as it is sent, with all headers. */
export type SentResponse = Pick<ServedReply, 'status' | 'headers' | 'body'>

/** The data that the steps of a request share: the caller's request, the ways to answer it, and svc's `ServedRequest`. */
export interface RequestEnv {
  Bindings: {
    incoming: IncomingRequest
    outgoing: OutgoingResponse
    responder: Responder
  }
  Variables: { request: ServedRequest }
}

/** Hono's context of one request. */
export type RequestContext = Context<RequestEnv>

/** One step of a request. It answers the request, or calls the next step. */
export type RequestStep = MiddlewareHandler<RequestEnv>
