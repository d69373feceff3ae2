import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Span } from '../../runtime/trace'
import type { Cancellation } from '../limits/cancellation'
import { type Problem, problemBody } from '../problem'

/** Which of the two ask routes was called; they differ in names only. D42 */
export type Dialect = 'questions' | 'systemone'

/** One request on its way through the service. */
export interface Call {
  readonly id: string
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly span: Span
  /** Fires when the caller goes away, the time is up or the service ends. */
  readonly end: Cancellation
  /** Gathered for the access log; small values only. */
  readonly notes: Record<string, string | number | undefined>
}

/** What goes back to the caller. A body as text leaves in one piece with its headers, bytes in a second one. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** Nobody is left to reply to. */
export const unheard: Reply = { status: 499, headers: {}, body: '' }

const json = { 'Content-Type': 'application/json' }

/** A 200 with a JSON body. */
export const jsonReply = (body: string | Uint8Array): Reply => ({
  status: 200,
  headers: json,
  body,
})

/** A failure as a reply; notes its type for the log. */
export const problemReply = (problem: Problem, call?: Pick<Call, 'notes'>): Reply => {
  if (call !== undefined) call.notes.error = problem.type
  return {
    status: problem.status,
    headers: problem.headers === undefined ? json : { ...json, ...problem.headers },
    body: problemBody(problem),
  }
}
