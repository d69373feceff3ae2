import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { servedDialects } from '../../client/dialects/served-dialects'
import { encode } from '../../codec/json/draft'
import { modelsPath } from '../contract/operation-path'
import { callerDisconnected, isEngineFailure, type Problem } from '../contract/problem'
import type { RequestContext, ServedReply, ServedRequest } from './service'

const jsonHeaders = { 'Content-Type': 'application/json' }

/** A response with status 200 and this JSON text. */
export const jsonReply = (body: string | Uint8Array): ServedReply => ({
  status: 200,
  headers: jsonHeaders,
  body,
})

/** Answers with a problem, in the caller's dialect. Adds the problem's type to the access log. */
export const refuse = (c: RequestContext, problem: Problem): Response => {
  const { dialect, logFields } = c.get('request')
  logFields.error = problem.type
  const { status, body } = dialect.encodeFailure(problem)
  const headers = { ...jsonHeaders, ...problem.headers }
  const cause = isEngineFailure(problem) ? { cause: problem.cause ?? problem.message } : {}
  return respond(c, { status, headers, body: encode(body), ...cause })
}

/**
 * Answers with a reply. Adds the request id: the one that the engine's response has, or else the service's own. If the
 * caller has disconnected, nothing is sent, and the log has status 499.
 */
export const respond = (c: RequestContext, reply: ServedReply): Response => {
  const request = c.get('request')
  const { outgoing } = c.env
  if (outgoing.destroyed) {
    request.logFields.error = callerDisconnected.type
    request.reply = { status: callerDisconnected.status, headers: {}, body: '' }
    return RESPONSE_ALREADY_SENT
  }
  request.reply = reply
  if (reply.write !== undefined) {
    reply.write(outgoing, reply.headers)
    return RESPONSE_ALREADY_SENT
  }
  const length = String(Buffer.byteLength(reply.body))
  const headers = {
    ...idHeaders(request, reply.headers),
    ...reply.headers,
    'Content-Length': length,
  }
  // The type of Response excludes shared memory, which a body never uses.
  const body = reply.body as string | Uint8Array<ArrayBuffer>
  return new Response(body, { status: reply.status, headers })
}

/** The headers with the request id that clients of a route look for. The model list has clients of every dialect. */
const idHeaders = (
  { id, route, dialect }: ServedRequest,
  replyHeaders: ServedReply['headers'],
): Readonly<Record<string, string>> => {
  const dialects = route === modelsPath ? servedDialects : [dialect]
  const names = ['x-service-request-id', ...dialects.map((each) => each.requestIdHeader)]
  const value = names.map((name) => replyHeaders[name]).find((known) => known !== undefined) ?? id
  return Object.fromEntries(names.map((name) => [name, value]))
}
