import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServedDialect } from '../../client/dialects/served'
import { encode } from '../../codec/json/draft'
import type { Span } from '../../tracing/trace'
import type { Play } from '../contract/engine'
import { callerLeft, isNoAnswer, type Problem } from '../contract/problem'

/** One request and its response while the service works on it. */
export interface Call {
  readonly id: string
  /** The route's path, or `other`. */
  readonly route: string
  /** The dialect that the caller speaks, by the route; the specification's for routes of no dialect. */
  readonly dialect: ServedDialect
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly span: Span
  /** Identifies the API key of the request, without revealing it. Set once the key is accepted. */
  holder?: string
  /** Aborted when the caller disconnects, the time for an answer is up, or the service stops. */
  readonly end: AbortController
  /** Further fields for the access log. Short values only, and never state, questions or keys. */
  readonly notes: Record<string, string | number | undefined>
}

/** A response before it is sent. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Where present, this writes the response, and `status` and `body` serve only the log. D74 */
  readonly play?: Play
  /** Why the engine failed, for the operator's log. D76 */
  readonly cause?: string
}

/**
 * Stands for the response to a caller who has disconnected. It is not sent; its status 499 appears in the log.
 */
export const unheard: Reply = { status: callerLeft.status, headers: {}, body: '' }

const json = { 'Content-Type': 'application/json' }

/** A response with status 200 and a JSON body. */
export const jsonReply = (body: string | Uint8Array): Reply => ({
  status: 200,
  headers: json,
  body,
})

/** Turns a problem into a response in the caller's dialect, and notes the problem's type for the access log. */
export const problemReply = (problem: Problem, call: Pick<Call, 'notes' | 'dialect'>): Reply => {
  call.notes.error = problem.type
  const { status, body } = call.dialect.writeFailure(problem)
  return {
    status,
    headers: { ...json, ...problem.headers },
    body: encode(body),
    ...(isNoAnswer(problem) ? { cause: problem.cause ?? problem.message } : {}),
  }
}

/**
 * The two operations of the API, for requests whose key has been accepted. Each kind of engine has its own
 * implementation.
 */
export interface Operations {
  readonly ask: (call: Call, body: Buffer) => Promise<Reply>
  readonly models: (call: Call) => Promise<Reply>
}
