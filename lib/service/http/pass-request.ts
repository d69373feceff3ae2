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

/** Passes a request on to an engine that takes whole requests. */
export const passRequest =
  (
    { callEngine }: Service,
    engine: PassthroughEngine,
    operation: PassthroughRequest['operation'],
  ): RequestStep =>
  async (c) => {
    const request = c.get('request')
    const { dialect, body } = request
    const { search } = new URL(c.req.url)
    const engineRequest = { operation, dialect, body, search }
    const result = await callEngine(request, (context) => engine.pass(engineRequest, context))
    return respondWithResult(c, result)
  }

/** Answers a request at the address of a recorded scenario. */
export const playScenario =
  ({ callEngine }: Service, play: PlayScenario): RequestStep =>
  async (c) => {
    const request = c.get('request')
    const { pathname: path, search } = new URL(c.req.url)
    const scenarioRequest = { method: c.req.method, path, search, body: request.body }
    const result = await callEngine(request, (context) => play(scenarioRequest, context))
    return respondWithResult(c, result)
  }

const respondWithResult = (
  c: RequestContext,
  result: E.Either<Problem, PassthroughResponse>,
): Response =>
  E.isLeft(result) ? refuse(c, result.left) : respond(c, toReply(c.get('request'), result.right))

/** Response headers of a single connection (RFC 9110, 7.6.1). They are never passed on. */
const connectionHeaders = [
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const blockedRecordedHeaders = new Set(connectionHeaders)

/** Headers that an engine's response does not pass on: also those that svc writes itself, and cookies. */
const blockedHeaders = new Set([
  ...connectionHeaders,
  'date',
  'proxy-authenticate',
  'server',
  'set-cookie',
])

/** Turns the engine's response into the service's reply. Adds the engine's request id to the access log. */
const toReply = (
  { logFields }: ServedRequest,
  { headers, isRecorded, ...response }: PassthroughResponse,
): ServedReply => {
  const blocked = isRecorded ? blockedRecordedHeaders : blockedHeaders
  const passedHeaders: Record<string, string> = {}
  for (const [originalName, value] of headers) {
    const name = originalName.toLowerCase()
    if (blocked.has(name) || !isValidHeader(name, value)) continue
    if (name === 'x-service-request-id') logFields.engine_request_id = value
    passedHeaders[name] = value
  }
  return { ...response, headers: passedHeaders }
}

/** Returns true if Node can send a header. Node throws if a name is not an HTTP token, or if a value has a control character. */
const isValidHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
