import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, MiddlewareHandler } from 'hono'
import { servedDialects } from '../../client/dialects/serve'
import type { ServedDialect } from '../../client/dialects/served'
import { encode } from '../../codec/json/draft'
import type { Span } from '../../runtime/tracer'
import type { Play } from '../contract/engine'
import { modelsPath } from '../contract/operation-path'
import { callerLeft, isNoAnswer, type Problem } from '../contract/problem'
import type { KeyHolder } from '../limits/keys'

/** The data that the steps of a request share: Node's request and response, and the call. */
export interface ServedCallEnv {
  Bindings: HttpBindings
  Variables: { call: ServedCall }
}

/** Hono's context of one request. */
export type CallContext = Context<ServedCallEnv>

/** One step that a request passes. It refuses the request, or lets the next step go on. */
export type RequestStep = MiddlewareHandler<ServedCallEnv>

/** One request while the service works on it. */
export interface ServedCall {
  readonly id: string
  /** The route's path, or `other`. */
  readonly route: string
  /** The dialect that the caller speaks, by the route; the specification's for routes without a dialect. */
  readonly dialect: ServedDialect
  /** Node's response, for stopping: it waits until the response is sent. */
  readonly outgoing: ServerResponse
  readonly span: Span
  /** Aborted with the problem that ends the call: the caller left, or the time for an answer is up. */
  readonly end: AbortController
  /** Further fields for the access log. Short values only, and never state, questions or keys. */
  readonly notes: Record<string, string | number | undefined>
  /** Who asks. Set once the key is accepted. */
  holder?: KeyHolder
  /** The request's body. Empty until it has been read. */
  body: Uint8Array
  /** The reply that was given, for log and metrics. */
  reply?: ServedReply
}

/** A response before it is sent. */
export interface ServedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** If present, this writes the response, and `status` and `body` serve only the log. */
  readonly play?: Play
  /** The reason why the engine failed, for the operator's log. */
  readonly cause?: string
}

const json = { 'Content-Type': 'application/json' }

/** Answers with status 200 and a JSON body. */
export const jsonReply = (body: string | Uint8Array): ServedReply => ({
  status: 200,
  headers: json,
  body,
})

/** Answers with a problem, in the caller's dialect. Notes the problem's type for the access log. */
export const refuse = (c: CallContext, problem: Problem): Response => {
  const call = c.get('call')
  call.notes.error = problem.type
  const { status, body } = call.dialect.writeFailure(problem)
  const headers = { ...json, ...problem.headers }
  const cause = isNoAnswer(problem) ? { cause: problem.cause ?? problem.message } : {}
  return respond(c, { status, headers, body: encode(body), ...cause })
}

/**
 * Answers with a reply. Adds the request id: the engine's if it passed one on, else this request's. If the caller has
 * left, nothing is sent, and the log has status 499.
 */
export const respond = (c: CallContext, reply: ServedReply): Response => {
  const call = c.get('call')
  const { outgoing } = c.env
  if (outgoing.destroyed) {
    call.notes.error = callerLeft.type
    call.reply = { status: callerLeft.status, headers: {}, body: '' }
    return RESPONSE_ALREADY_SENT
  }
  call.reply = reply
  if (reply.play !== undefined) {
    reply.play(outgoing, reply.headers)
    return RESPONSE_ALREADY_SENT
  }
  const length = String(Buffer.byteLength(reply.body))
  const headers = { ...idHeaders(call, reply.headers), ...reply.headers, 'Content-Length': length }
  // The type of Response excludes shared memory, which a body never uses.
  const body = reply.body as string | Uint8Array<ArrayBuffer>
  return new Response(body, { status: reply.status, headers })
}

/** The headers with the request id that clients of a route look for. The model list has clients of every dialect. */
const idHeaders = (
  { id, route, dialect }: ServedCall,
  given: ServedReply['headers'],
): Readonly<Record<string, string>> => {
  const dialects = route === modelsPath ? servedDialects : [dialect]
  const names = ['x-service-request-id', ...dialects.map((one) => one.requestIdHeader)]
  const known = names.map((name) => given[name]).find((value) => value !== undefined) ?? id
  return Object.fromEntries(names.map((name) => [name, known]))
}
