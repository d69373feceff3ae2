import { encode } from '../../codec/json/draft'
import { modelsPath } from '../contract/operation-path'
import { callerDisconnected, isEngineFailure, type Problem } from '../contract/problem'
import { servedDialects } from '../dialects/served-dialects'
import type { RequestContext, ServedReply, ServedRequest } from './service'

const jsonHeaders = { 'Content-Type': 'application/json' }

/** Creates a response with status 200 and a JSON text. */
export const jsonReply = (body: string | Uint8Array): ServedReply => ({
  status: 200,
  headers: jsonHeaders,
  body,
})

/** Responds with a problem, in the caller's dialect. Adds the problem's type to the access log. */
export const refuse = (c: RequestContext, problem: Problem): Response => {
  const { dialect, logFields } = c.get('request')
  logFields.error = problem.type
  const { status, body } = dialect.encodeFailure(problem)
  const headers = { ...jsonHeaders, ...problem.headers }
  const reply = { status, headers, body: encode(body) }
  if (!isEngineFailure(problem)) return respond(c, reply)
  return respond(c, { ...reply, cause: problem.cause ?? problem.message })
}

/**
 * Sends a response with a request id: the id in the engine's response, otherwise the service's own. A reply with `write` sends itself,
 * with its own headers only. If the caller has disconnected, sends nothing and logs status 499.
 */
export const respond = (c: RequestContext, reply: ServedReply): Response => {
  const request = c.get('request')
  const { outgoing, responder } = c.env
  if (outgoing.destroyed) {
    request.logFields.error = callerDisconnected.type
    request.reply = { status: callerDisconnected.status, headers: {}, body: '' }
    return responder.sendNothing()
  }
  request.reply = reply
  if (reply.write !== undefined) return responder.write(reply.write, reply.headers)
  const length = String(Buffer.byteLength(reply.body))
  const headers = {
    ...createIdHeaders(request, reply.headers),
    ...reply.headers,
    'Content-Length': length,
  }
  return responder.send({ status: reply.status, headers, body: reply.body })
}

/** Returns the request id that the caller gets: the one in the engine's response, otherwise the service's own. */
export const findSentId = (
  { id, dialect }: ServedRequest,
  replyHeaders: ServedReply['headers'],
): string => replyHeaders['x-service-request-id'] ?? replyHeaders[dialect.requestIdHeader] ?? id

/** Creates the request id headers of the route's dialect. The model list is for clients of all dialects, so it gets those of all. */
const createIdHeaders = (
  { id, route, dialect }: ServedRequest,
  replyHeaders: ServedReply['headers'],
): Readonly<Record<string, string>> => {
  const dialects = route === modelsPath ? servedDialects : [dialect]
  const names = ['x-service-request-id', ...dialects.map(({ requestIdHeader }) => requestIdHeader)]
  const engineId = names.map((name) => replyHeaders[name]).find((value) => value !== undefined)
  return Object.fromEntries(names.map((name) => [name, engineId ?? id]))
}
