import * as E from 'fp-ts/Either'
import type { Passed, Passing, PassingEngine } from '../engines/engine'
import { callEngine, type EngineDoor } from '../engines/engine-call'
import { type Call, problemReply, type Reply } from './call'

/** Headers that belong to one connection or that this service writes itself. RFC 9110, 7.6.1 */
const ownHeaders = new Set([
  'connection',
  'content-encoding',
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

/** Hands a request to an engine that answers with whole responses. D39 */
export const pass =
  (door: EngineDoor, engine: PassingEngine) =>
  async (call: Call, request: Passing): Promise<Reply> => {
    const result = await callEngine(door, call, (context) => engine.pass(request, context))
    return E.isLeft(result) ? problemReply(result.left, call) : passedReply(call, result.right)
  }

const passedReply = (call: Call, passed: Passed): Reply => {
  const headers: Record<string, string> = {}
  for (const [name, value] of passed.headers) {
    if (ownHeaders.has(name.toLowerCase()) || !isHeader(name, value)) continue
    if (name.toLowerCase() === 'x-service-request-id') call.notes.engine_request_id = value
    headers[name] = value
  }
  return { status: passed.status, headers, body: passed.body }
}

const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
