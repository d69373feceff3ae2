import * as E from 'fp-ts/Either'
import type {
  PassthroughEngine,
  PassthroughRequest,
  PassthroughResponse,
  PlayScenario,
} from '../contract/engine'
import type { Problem } from '../contract/problem'
import { refuse, respond } from './respond'
import type { RequestContext, RequestStep, ServedReply, ServedRequest, Service } from './service'

/** The last step of a question, or of a request for the models, if the engine takes whole requests: passes it on. */
export const passRequest =
  (
    { callEngine }: Service,
    engine: PassthroughEngine,
    operation: PassthroughRequest['operation'],
  ): RequestStep =>
  async (c) => {
    const request = c.get('request')
    const { dialect, body } = request
    const ask = { operation, dialect, body }
    return passBack(c, await callEngine(request, (context) => engine.pass(ask, context)))
  }

/** The last step of a request at the address of a recorded scenario. */
export const playScenario =
  ({ callEngine }: Service, play: PlayScenario): RequestStep =>
  async (c) => {
    const request = c.get('request')
    const { pathname: path, search } = new URL(c.req.url)
    const ask = { method: c.req.method, path, search, body: request.body }
    return passBack(c, await callEngine(request, (context) => play(ask, context)))
  }

const passBack = (c: RequestContext, result: E.Either<Problem, PassthroughResponse>): Response =>
  E.isLeft(result) ? refuse(c, result.left) : respond(c, toReply(c.get('request'), result.right))

/**
 * Response headers that are not passed on: they describe a single connection, or this service writes them itself. RFC
 * 9110, 7.6.1
 */
const blockedHeaders = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Turns the engine's response into this service's. Adds the engine's request id to the access log. */
const toReply = (
  { logFields }: ServedRequest,
  { headers, ...response }: PassthroughResponse,
): ServedReply => {
  const passedHeaders: Record<string, string> = {}
  for (const [givenName, value] of headers) {
    const name = givenName.toLowerCase()
    if (blockedHeaders.has(name) || !isValidHeader(name, value)) continue
    if (name === 'x-service-request-id') logFields.engine_request_id = value
    passedHeaders[name] = value
  }
  return { ...response, headers: passedHeaders }
}

/**
 * True if Node accepts the header: a name must be an HTTP token, and a value must not contain control characters.
 * Node throws otherwise.
 */
const isValidHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
