import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import type { EngineContext, Passed, PassingEngine, PlayScenario } from '../contract/engine'
import type { Problem } from '../contract/problem'
import type { CallEngine } from '../limits/call-engine'
import {
  type CallContext,
  type RequestStep,
  refuse,
  respond,
  type ServedCall,
  type ServedReply,
} from './call'

/** The services that passing a request on uses, besides the engine. */
interface PassServices {
  readonly callEngine: CallEngine
}

/** The last step of a question for an engine that takes whole requests and returns whole responses. */
export const passAsk =
  ({ callEngine }: PassServices, engine: PassingEngine): RequestStep =>
  async (c) => {
    const { dialect, body } = c.get('call')
    return pass(c, callEngine, (context) =>
      engine.pass({ operation: 'ask', dialect, body }, context),
    )
  }

/** The last step of a request for the models of such an engine. */
export const passModels =
  ({ callEngine }: PassServices, engine: PassingEngine): RequestStep =>
  async (c) => {
    const { dialect, body } = c.get('call')
    return pass(c, callEngine, (context) =>
      engine.pass({ operation: 'models', dialect, body }, context),
    )
  }

/** The last step of a request at the address of a recorded scenario. */
export const playScenario =
  ({ callEngine }: PassServices, play: PlayScenario): RequestStep =>
  async (c) => {
    const { pathname: path, search } = new URL(c.req.url)
    const request = { method: c.req.method, path, search, body: c.get('call').body }
    return pass(c, callEngine, (context) => play(request, context))
  }

const pass = async (
  c: CallContext,
  callEngine: CallEngine,
  ask: (context: EngineContext) => TE.TaskEither<Problem, Passed>,
): Promise<Response> => {
  const call = c.get('call')
  const result = await callEngine(call, ask)
  return E.isLeft(result) ? refuse(c, result.left) : respond(c, toReply(call, result.right))
}

/**
 * Response headers that are not passed on: they describe a single connection, or this service writes them itself. RFC
 * 9110, 7.6.1
 */
const ownHeaders = new Set([
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

/** Turns the engine's response into this service's, and notes the engine's request id for the log. */
const toReply = (call: ServedCall, { headers, ...passed }: Passed): ServedReply => {
  const kept: Record<string, string> = {}
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    if (ownHeaders.has(name) || !isHeader(name, value)) continue
    if (name === 'x-service-request-id') call.notes.engine_request_id = value
    kept[name] = value
  }
  return { ...passed, headers: kept }
}

/**
 * True if Node accepts the header: a name must be an HTTP token, and a value must not contain control characters.
 * Node throws otherwise.
 */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
