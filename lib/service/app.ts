import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import * as E from 'fp-ts/Either'
import { type Context, Hono } from 'hono'
import { type Admission, admit, checkMedia } from './admit'
import { ask } from './ask'
import type { ReadBody } from './body'
import { type Call, type Dialect, jsonReply, problemReply, type Reply, unheard } from './call'
import type { Engine } from './engine'
import type { EngineDoor } from './engine-call'
import type { Lifecycle } from './lifecycle'
import { modelList } from './models'
import { pass } from './pass'
import { internalError, methodNotAllowed, notFound } from './problem'

/** All that the routes stand on. */
export interface Service {
  readonly engine: Engine
  readonly door: EngineDoor
  readonly admission: Admission
  readonly readBody: ReadBody
  readonly lifecycle: Lifecycle
}

type Bound = { Bindings: HttpBindings }

/** The routes. D36, D42 */
export const serviceApp = (service: Service): Hono<Bound> => {
  const app = new Hono<Bound>()
  const route =
    (pattern: string, run: (call: Call) => Reply | Promise<Reply>) =>
    async (c: Context<Bound>): Promise<Response> => {
      const { incoming, outgoing } = c.env
      const reply = await service.lifecycle.serve(
        pattern,
        incoming as IncomingMessage,
        outgoing as ServerResponse,
        run,
      )
      return toResponse(dialectRoutes.has(pattern) ? inDialect(reply) : reply)
    }
  const only = (pattern: string, allow: string): void => {
    app.all(
      pattern,
      route(pattern, (call) => problemReply(methodNotAllowed(allow), call)),
    )
  }

  app.post('/v1/questions', route('/v1/questions', askRoute(service, 'questions')))
  app.post('/v1/systemone', route('/v1/systemone', askRoute(service, 'systemone')))
  app.get('/v1/models', route('/v1/models', modelsRoute(service)))
  app.get(
    '/healthz',
    route('/healthz', () => jsonReply('{"status":"ok"}')),
  )
  app.get(
    '/metrics',
    route('/metrics', () => metricsReply(service)),
  )
  only('/v1/questions', 'POST')
  only('/v1/systemone', 'POST')
  only('/v1/models', 'GET, HEAD')
  only('/healthz', 'GET, HEAD')
  only('/metrics', 'GET, HEAD')
  app.notFound(route('other', (call) => problemReply(notFound, call)))
  app.onError(() => toResponse(service.lifecycle.refuse(internalError)))
  return app
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

/** The adapter writes a plain response of text or bytes without further ado. */
export const toResponse = (reply: Reply): Response =>
  new Response(
    reply.body.length === 0 ? null : (reply.body as ConstructorParameters<typeof Response>[0]),
    {
      status: reply.status,
      headers: { ...reply.headers },
    },
  )

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
