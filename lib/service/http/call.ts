import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '../../runtime/trace'
import type { Play } from '../engines/engine'
import { callerLeft, type Problem, problemBody } from '../problem'

/** One request on its way through the service. */
export interface Call {
  readonly id: string
  /** The route's path, or `other`. */
  readonly route: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly span: Span
  /** Whose key the request has, once it was let in. */
  holder?: string
  /** Aborted when the caller goes away, the time for an answer is up, or the service ends. */
  readonly end: AbortController
  /** What the access log tells besides route and status. Small values; never state, questions or keys. */
  readonly notes: Record<string, string | number | undefined>
}

/** What goes back to the caller. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Writes the response. Status and body are then for the log alone. D74 */
  readonly play?: Play
  /** Why the engine has failed, for the operator's log. D76 */
  readonly cause?: string
  /** As in `Problem`. */
  readonly ownCause?: true | undefined
}

/** The caller went away: nobody is left to reply to, and the log shows nginx's status for that. */
export const unheard: Reply = { status: callerLeft.status, headers: {}, body: '' }

const json = { 'Content-Type': 'application/json' }

/** A 200 with a JSON body. */
export const jsonReply = (body: string | Uint8Array): Reply => ({
  status: 200,
  headers: json,
  body,
})

/** A failure as a reply. Where there is a call, its type is noted for the log. */
export const problemReply = (problem: Problem, call?: Pick<Call, 'notes'>): Reply => {
  if (call !== undefined) call.notes.error = problem.type
  return {
    status: problem.status,
    headers: { ...json, ...problem.headers },
    body: problemBody(problem),
    ...(problem.status === 502 || problem.status === 504
      ? { cause: problem.cause ?? problem.message, ownCause: problem.ownCause }
      : {}),
  }
}

/**
 * The two operations of the API, for requests that have been let in. There is one of these for each kind of
 * engine.
 */
export interface Operations {
  readonly ask: (call: Call, body: Buffer) => Promise<Reply>
  readonly models: (call: Call) => Promise<Reply>
}
