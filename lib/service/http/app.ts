import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import * as E from 'fp-ts/Either'
import type { Engine } from '../engines/engine'
import type { EngineDoor } from '../engines/engine-call'
import { modelList } from '../engines/models'
import { type Admission, admit, checkMedia } from '../limits/admit'
import { internalError, methodNotAllowed, notFound } from '../problem'
import { ask } from './ask'
import type { ReadBody } from './body'
import { type Call, type Dialect, jsonReply, problemReply, type Reply, unheard } from './call'
import type { Lifecycle } from './lifecycle'
import { pass } from './pass'

/** All that the routes stand on. */
export interface Service {
  readonly engine: Engine
  readonly door: EngineDoor
  readonly admission: Admission
  readonly readBody: ReadBody
  readonly lifecycle: Lifecycle
}

type Handler = (call: Call) => Reply | Promise<Reply>

/** One path: its handlers by method. */
interface Route {
  readonly handlers: ReadonlyMap<string, Handler>
  readonly allow: string
}

const route = (handlers: Readonly<Record<string, Handler>>): Route => ({
  handlers: new Map(Object.entries(handlers)),
  allow: Object.keys(handlers).join(', '),
})

const readable = (handler: Handler): Route => route({ GET: handler, HEAD: handler })

/** The routes. D36, D42 */
const routesOf = (service: Service): ReadonlyMap<string, Route> =>
  new Map([
    ['/v1/questions', route({ POST: askRoute(service, 'questions') })],
    ['/v1/systemone', route({ POST: askRoute(service, 'systemone') })],
    ['/v1/models', readable(modelsRoute(service))],
    ['/healthz', readable(() => jsonReply('{"status":"ok"}'))],
    ['/metrics', readable(() => metricsReply(service))],
  ])

const notThere: Handler = (call) => problemReply(notFound, call)

/**
 * Answers requests straight on Node's own server: a framework between costs a tenth of the
 * throughput, and five fixed paths need none.
 */
export const requestListener = (service: Service): RequestListener => {
  const routes = routesOf(service)
  return (incoming, outgoing) => {
    const path = pathOf(incoming.url ?? '')
    const found = routes.get(path)
    const handler =
      found === undefined
        ? notThere
        : (found.handlers.get(incoming.method ?? '') ??
          ((call: Call) => problemReply(methodNotAllowed(found.allow), call)))
    const name = found === undefined ? 'other' : path
    service.lifecycle
      .serve(name, incoming, outgoing, handler)
      .then((reply) => {
        send(incoming, outgoing, dialectRoutes.has(path) ? inDialect(reply) : reply)
      })
      .catch(() => outgoing.destroy())
  }
}

/** The path of a request target; an absolute target has one too. RFC 9112, 3.2 */
const pathOf = (target: string): string => {
  const query = target.indexOf('?')
  const path = query < 0 ? target : target.slice(0, query)
  return path.startsWith('http://') ? path.slice(path.indexOf('/', 'http://'.length)) : path
}

const send = (incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply): void => {
  if (outgoing.destroyed) return
  const { body } = reply
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  outgoing.writeHead(reply.status, { ...reply.headers, 'Content-Length': length })
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}

/** Routes that clients of the `/v1/systemone` dialect call. */
const dialectRoutes: ReadonlySet<string> = new Set(['/v1/systemone', '/v1/models'])

/** The request id under the name of that dialect as well. D42 */
const inDialect = (reply: Reply): Reply => ({
  ...reply,
  headers: {
    ...reply.headers,
    'x-typesafe-request-id': reply.headers['x-service-request-id'] ?? '',
  },
})

const askRoute = (service: Service, dialect: Dialect) => {
  const { engine, door } = service
  const passOn = engine.kind === 'passing' ? pass(door, engine) : undefined
  const answer = engine.kind === 'answering' ? ask(door, engine) : undefined
  return async (call: Call): Promise<Reply> => {
    const { headers } = call.incoming
    const problem = admit(service.admission, headers) ?? checkMedia(headers)
    if (problem !== undefined) return problemReply(problem, call)
    const body = await service.readBody(call.incoming, call.outgoing)
    if (E.isLeft(body)) {
      return '_tag' in body.left ? unheard : problemReply(body.left, call)
    }
    if (answer !== undefined) return answer(call, dialect, body.right)
    if (passOn !== undefined) return passOn(call, { operation: 'ask', body: body.right })
    return problemReply(internalError, call)
  }
}

const modelsRoute = (service: Service) => {
  const { engine, door } = service
  const passOn = engine.kind === 'passing' ? pass(door, engine) : undefined
  const list =
    engine.kind === 'answering' ? JSON.stringify({ models: modelList(engine.models) }) : ''
  return async (call: Call): Promise<Reply> => {
    const problem = admit(service.admission, call.incoming.headers)
    if (problem !== undefined) return problemReply(problem, call)
    return passOn === undefined
      ? jsonReply(list)
      : passOn(call, { operation: 'models', body: new Uint8Array(0) })
  }
}

const metricsReply = async ({ door }: Service): Promise<Reply> => ({
  status: 200,
  headers: { 'Content-Type': door.metrics.contentType },
  body: await door.metrics.text(),
})
