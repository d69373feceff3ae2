import { Hono } from 'hono'
import { servedDialects } from '../../client/dialects/served-dialects'
import { encode } from '../../codec/json/draft'
import type { UnusedExchange } from '../contract/engine'
import { modelsPath, reportPaths } from '../contract/operation-path'
import { internalError, methodNotAllowed, notFound, notReady } from '../contract/problem'
import openapi from '../svc-openapi.json'
import { limitRate, limitWaiting, requireHost, requireKey } from './admit'
import { answerQuestions, listOwnModels } from './answer-questions'
import { passRequest, playScenario } from './pass-request'
import { limitBody, readBody, requireJson } from './read-body'
import { beginRequest, logRequest, recordExchange } from './record-request'
import { jsonReply, refuse, respond } from './respond'
import type { RequestEnv, RequestStep, Service } from './service'

/**
 * Creates the service as a Hono app. Each list below has the steps of a request in the order in which it takes them. A step
 * either answers the request or lets the next step go on.
 */
export const createApp = (service: Service): Hono<RequestEnv> => {
  const { engine } = service
  const takePlace = limitWaiting(service)
  const withKey = [requireKey(service), limitRate(service)]
  const withBody = [limitBody(service), takePlace, readBody(service)]
  const recorded = recordExchange(service)
  const ask = [...withKey, requireJson, ...withBody, recorded, askEngine(service)]
  const models = [...withKey, takePlace, recorded, listModels(service)]

  const app = new Hono<RequestEnv>()
  app.use(beginRequest(service), logRequest(service), requireHost(service))
  for (const { askPath } of servedDialects) app.on('POST', [askPath], ...ask)
  app.on('GET', [modelsPath], ...models)
  app.get('/healthz', (c) => respond(c, jsonReply('{"status":"ok"}')))
  app.get('/readyz', reportReadiness(service))
  app.get('/metrics', reportMetrics(service))
  app.get('/openapi.json', (c) => respond(c, jsonReply(openapiText)))
  if (engine.kind === 'passthrough' && engine.listUnused !== undefined)
    app.on('GET', [unusedPath], ...withKey, reportUnused(engine.listUnused))
  for (const [path, methods] of routes) app.all(path, (c) => refuse(c, methodNotAllowed(methods)))
  if (engine.kind === 'passthrough' && engine.playScenario !== undefined)
    app.use('*', ...withKey, ...withBody, playScenario(service, engine.playScenario))
  app.notFound((c) => refuse(c, notFound))
  app.onError((error, c) => {
    service.log.error('defect', { request_id: c.get('request').id, cause: error.message })
    return refuse(c, internalError)
  })
  return app
}

/** Lists the recorded requests that never came, for tests that play a folder strictly. */
const unusedPath = '/__svc/unused'

type RouteMethods = readonly [path: string, methods: ReadonlyArray<string>]

/** The methods of each route by its path, in the order of `svc-openapi.json`. */
export const routes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ...servedDialects.map(({ askPath }): RouteMethods => [askPath, ['POST']]),
  ...[modelsPath, ...reportPaths].map((path): RouteMethods => [path, ['GET', 'HEAD']]),
])

const openapiText = JSON.stringify(openapi)

const askEngine = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? answerQuestions(service, service.engine)
    : passRequest(service, service.engine, 'ask')

const listModels = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? listOwnModels(service.engine)
    : passRequest(service, service.engine, 'models')

/** Reports to load balancers and Kubernetes if they should send requests to this service. */
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
