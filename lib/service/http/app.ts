import { Hono } from 'hono'
import { servedDialects } from '../../client/dialects/serve'
import { encode } from '../../codec/json/draft'
import type { Engine, UnusedExchange } from '../contract/engine'
import { modelsPath, reportPaths } from '../contract/operation-path'
import { internalError, methodNotAllowed, notFound, notReady } from '../contract/problem'
import openapi from '../svc-openapi.json'
import { type Admission, limitRate, requireHost, requireKey, takePlace } from './admit'
import { answerQuestions, listOwnModels } from './answer-questions'
import { jsonReply, type RequestStep, refuse, respond, type ServedCallEnv } from './call'
import { type AnswerLimits, limitTime } from './limit-time'
import { passAsk, passModels, playScenario } from './pass-request'
import { type BodyLimits, limitBody, readBody, requireJson } from './read-body'
import { assignCall, type CallRecorders, logRequest } from './record-call'
import { type ExchangeRecording, recordExchange } from './record-exchange'

/** The services that the steps of a request use. */
export interface Service
  extends CallRecorders,
    ExchangeRecording,
    Admission,
    BodyLimits,
    AnswerLimits {
  readonly engine: Engine
}

/**
 * The service as a Hono app. Each list below is the way of a request, in the order in which it meets the steps. A step
 * either refuses the request or lets the next one go on.
 */
export const createApp = (service: Service): Hono<ServedCallEnv> => {
  const { engine } = service
  const everyRequest = [assignCall(service), logRequest(service), requireHost(service)] as const
  const admitted = [requireKey(service), limitRate(service)]
  const withBody = [limitBody(service), takePlace(service), readBody(service)]
  const recorded = [recordExchange(service), limitTime(service)]
  const ask = [...admitted, requireJson, ...withBody, ...recorded, askEngine(service)]
  const models = [...admitted, takePlace(service), ...recorded, listModels(service)]

  const app = new Hono<ServedCallEnv>()
  app.use(...everyRequest)
  for (const { askPath } of servedDialects) app.on('POST', [askPath], ...ask)
  app.on('GET', [modelsPath], ...models)
  app.get('/healthz', (c) => respond(c, jsonReply('{"status":"ok"}')))
  app.get('/readyz', reportReadiness(service))
  app.get('/metrics', reportMetrics(service))
  app.get('/openapi.json', (c) => respond(c, jsonReply(description)))
  if (engine.kind === 'passing' && engine.listUnused !== undefined)
    app.on('GET', [unusedPath], ...admitted, reportUnused(engine.listUnused))
  for (const [path, methods] of routes) app.all(path, (c) => refuse(c, methodNotAllowed(methods)))
  if (engine.kind === 'passing' && engine.play !== undefined)
    app.use('*', ...admitted, ...withBody, limitTime(service), playScenario(service, engine.play))
  app.notFound((c) => refuse(c, notFound))
  app.onError((error, c) => {
    service.log.error('defect', { request_id: c.get('call').id, cause: error.message })
    return refuse(c, internalError)
  })
  return app
}

/** Lists the recorded requests that never came, for tests that play a folder strictly. */
const unusedPath = '/__svc/unused'

type RouteMethods = readonly [path: string, methods: ReadonlyArray<string>]

/** Every route's path with its methods. `openapi.json` describes them in the same order. */
export const routes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ...servedDialects.map(({ askPath }): RouteMethods => [askPath, ['POST']]),
  ...[modelsPath, ...reportPaths].map((path): RouteMethods => [path, ['GET', 'HEAD']]),
])

const description = JSON.stringify(openapi)

const askEngine = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? answerQuestions(service, service.engine)
    : passAsk(service, service.engine)

const listModels = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? listOwnModels(service.engine)
    : passModels(service, service.engine)

/** Reports to load balancers and Kubernetes if they should send requests here. */
const reportReadiness =
  ({ readiness }: Service): RequestStep =>
  async (c) => {
    const problem = await readiness.findProblem()
    return problem === undefined
      ? respond(c, jsonReply('{"status":"ready"}'))
      : refuse(c, notReady(problem))
  }

const reportUnused =
  (listUnused: () => ReadonlyArray<UnusedExchange>): RequestStep =>
  async (c) =>
    respond(c, jsonReply(encode({ unused: listUnused() })))

const reportMetrics =
  ({ metrics }: Service): RequestStep =>
  async (c) => {
    const headers = { 'Content-Type': metrics.contentType }
    return respond(c, { status: 200, headers, body: await metrics.render() })
  }
