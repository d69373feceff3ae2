import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { ServedDialect } from '../../client/dialects/served'
import type { Recorder } from '../../replay/recorder'
import type { Clock } from '../../runtime/runtime'
import type { Span, Tracer } from '../../runtime/tracer'
import type { Logger } from '../../tracing/log'
import type { Engine, ResponseWriter } from '../contract/engine'
import type { KeyHolder, Keys } from '../keys/keys'
import type { Metrics } from '../observe/metrics'
import type { FindPeer } from '../observe/peer'
import type { Readiness } from '../observe/readiness'
import type { CallEngine } from './call-engine'

/** A running service: its parts and settings, which the steps of all requests share. Times are in milliseconds. */
export interface Service {
  readonly engine: Engine
  readonly callEngine: CallEngine
  readonly keys: Keys
  /** The number of requests that a key may make per minute; 0 means no limit. */
  readonly maxRequestsPerMinute: number
  /** The number of requests that may wait or be in work. One key may have half of them. */
  readonly maxWaiting: number
  readonly maxBodyBytes: number
  /** The maximum time for the headers of a request, and again for its body. */
  readonly readTimeoutMs: number
  /** The maximum time in which a caller takes no byte of its response. */
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
  /** The requests whose response has not been sent completely. */
  readonly inFlight: Set<ServedRequest>
}

/** One request while the service works on it. */
export interface ServedRequest {
  readonly id: string
  /** The route's path, or `other`. */
  readonly route: string
  /** The dialect of the route. Routes without a dialect have the one of `/v1/questions`. */
  readonly dialect: ServedDialect
  /** Node's response object, by which a stopping service knows that the response has been sent. */
  readonly outgoing: ServerResponse
  readonly span: Span
  /** Aborted, with a `Problem` as the reason, if the caller disconnects or the time for an answer is up. */
  readonly abortController: AbortController
  /** Further fields for the access log. Short values only, and never state, questions or keys. */
  readonly logFields: Record<string, string | number | undefined>
  /** The holder of the request's key. Set once the key is accepted. */
  holder?: KeyHolder
  /** Empty until it has been read. */
  body: Uint8Array
  /** The response, for log and metrics. Set when it is known. */
  reply?: ServedReply
}

/** A response before it is sent. */
export interface ServedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Sends the response in place of the service, for responses that the service could not send unchanged. */
  readonly write?: ResponseWriter
  /** The reason why the engine failed, for the operator's log. */
  readonly cause?: string
}

/** The data that the steps of a request share: Node's request and response, and the service's own record of it. */
export interface RequestEnv {
  Bindings: HttpBindings
  Variables: { request: ServedRequest }
}

/** Hono's context of one request. */
export type RequestContext = Context<RequestEnv>

/** One step of a request. It answers the request, or lets the next step go on. */
export type RequestStep = MiddlewareHandler<RequestEnv>
