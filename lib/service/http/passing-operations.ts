import * as E from 'fp-ts/Either'
import type { Passed, Passing, PassingEngine } from '../contract/engine'
import { operationPath, parseTarget } from '../contract/operation-path'
import type { CallEngine } from '../limits/call-engine'
import { type Call, type Operations, problemReply, type Reply } from './call'

/**
 * Response headers that are not passed on: they concern a single connection, or this service writes its own.
 * RFC 9110, 7.6.1
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

/** The API's operations for an engine that takes whole requests and returns whole responses. D39 */
export const createPassingOperations = (
  engine: PassingEngine,
  callEngine: CallEngine,
): Operations => {
  const pass = async (call: Call, request: Pick<Passing, 'operation' | 'body'>): Promise<Reply> => {
    const prefix = operationPath(parseTarget(call.incoming.url).path)?.prefix ?? ''
    const whole = { ...request, prefix, dialect: call.dialect }
    const result = await callEngine(call, (context) => engine.pass(whole, context))
    return E.isLeft(result) ? problemReply(result.left, call) : replyFrom(call, result.right)
  }
  return {
    ask: (call, body) => pass(call, { operation: 'ask', body }),
    models: (call) => pass(call, { operation: 'models', body: new Uint8Array() }),
  }
}

/** Turns the engine's response into this service's, and notes the engine's request id for the log. */
const replyFrom = (call: Call, { status, headers, body, play, cause }: Passed): Reply => {
  const kept: Record<string, string> = {}
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    if (ownHeaders.has(name) || !isHeader(name, value)) continue
    if (name === 'x-service-request-id') call.notes.engine_request_id = value
    kept[name] = value
  }
  return {
    status,
    headers: kept,
    body,
    ...(play === undefined ? {} : { play }),
    ...(cause === undefined ? {} : { cause }),
  }
}

/**
 * Whether Node would accept the header: a name must be an HTTP token, and a value must hold no control
 * characters. Node throws otherwise.
 */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
