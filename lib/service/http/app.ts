import { Hono } from 'hono'
import { encode } from '../../codec/json/draft'
import type { UnusedExchange } from '../contract/engine'
import { isTextRoute, modelsPath, reportPaths } from '../contract/operation-path'
import {
  internalError,
  methodNotAllowed,
  noTextRoute,
  notFound,
  notReady,
} from '../contract/problem'
import { servedDialects } from '../dialects/served-dialects'
import openapi from '../svc-openapi.json'
import { limitRate, limitWaiting, requireHost, requireKey } from './admit'
import { answerQuestions, listOwnModels } from './answer-questions'
import { logAnswer } from './log-answer'
import { passRequest, playScenario } from './pass-request'
import { limitBody, readBody, readParts, requireKnownEncoding, requireMedia } from './read-body'
import { beginRequest, logRequest, recordExchange } from './record-request'
import { jsonReply, refuse, respond } from './respond'
import type { RequestEnv, RequestStep, Service } from './service'

/**
 * Creates the steps of a request, in their order. A step answers the request, with one of the statuses beside it, or calls the next
 * step. All routes share these steps, because the limits count the requests of all routes together.
 */
const createSteps = (service: Service) => ({
  begin: beginRequest(service), // assigns the request id and starts the span
  log: logRequest(service), // writes the access log and ends the span, once the response is known
  requireHost: requireHost(service), // 400, 403
  requireKey: requireKey(service), // 401
  limitRate: limitRate(service), // 429
  requireMedia, // 415
  requireKnownEncoding, // 415
  limitBody: limitBody(service), // 413
  limitWaiting: limitWaiting(service), // 529
  readBody: readBody(service), // 400, 408, 413
  readParts: readParts(), // 400, 422
  record: recordExchange(service), // saves the exchange for --record, once the response is known
  logAnswer: logAnswer(service), // adds a 2xx answer to the answer log, once the response is known
  askEngine: askEngine(service), // 200 or a failure
})

/** The route of `--strict`. It lists the recorded requests that no caller has made. */
const unusedPath = '/__svc/unused'

type RouteMethods = readonly [path: string, methods: ReadonlyArray<string>]

/** The methods of each route by its path, in the order of `svc-openapi.json`. */
export const routes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ...servedDialects.map(({ askPath }): RouteMethods => [askPath, ['POST']]),
  ...[modelsPath, ...reportPaths].map((path): RouteMethods => [path, ['GET', 'HEAD']]),
])

const openapiText = JSON.stringify(openapi)

/** Creates the service as a Hono app: its routes, each with the steps that its requests take. */
export const createApp = (service: Service): Hono<RequestEnv> => {
  const { engine } = service
  const steps = createSteps(service)
  const checkCaller = [steps.requireKey, steps.limitRate]
  const receiveBody = [
    steps.requireKnownEncoding,
    steps.limitBody,
    steps.limitWaiting,
    steps.readBody,
  ]
  const questionSteps = [
    ...checkCaller,
    steps.requireMedia,
    ...receiveBody,
    steps.readParts,
    steps.record,
    steps.logAnswer,
    steps.askEngine,
  ]
  const app = new Hono<RequestEnv>()
  app.use(steps.begin, steps.log, steps.requireHost)
  for (const { askPath } of servedDialects) app.on('POST', [askPath], ...questionSteps)
  app.on('GET', [modelsPath], ...checkCaller, steps.limitWaiting, steps.record, listModels(service))
  app.get('/healthz', (c) => respond(c, jsonReply('{"status":"ok"}')))
  app.get('/readyz', reportReadiness(service))
  app.get('/metrics', reportMetrics(service))
  app.get('/openapi.json', (c) => respond(c, jsonReply(openapiText)))
  if (engine.kind === 'passthrough' && engine.listUnused !== undefined)
    app.on('GET', [unusedPath], ...checkCaller, reportUnused(engine.listUnused))
  // Hono tries routes in the order of their registration, so the following ones get only requests that none above answers.
  for (const [path, methods] of routes) app.all(path, (c) => refuse(c, methodNotAllowed(methods)))
  if (engine.kind === 'passthrough' && engine.playScenario !== undefined)
    app.use(
      '*',
      ...checkCaller,
      ...receiveBody,
      steps.logAnswer,
      playScenario(service, engine.playScenario),
    )
  app.notFound((c) => refuse(c, isTextRoute(c.req.path) ? noTextRoute : notFound))
  app.onError((error, c) => {
    service.log.error('defect', { request_id: c.get('request').id, cause: error.message })
    return refuse(c, internalError)
  })
  return app
}

const askEngine = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? answerQuestions(service, service.engine)
    : passRequest(service, service.engine, 'ask')

const listModels = (service: Service): RequestStep =>
  service.engine.kind === 'answering'
    ? listOwnModels(service.engine)
    : passRequest(service, service.engine, 'models')

/** Responds with 200 if load balancers should send requests to this service, otherwise with 503. */
const reportReadiness =
  ({ readiness }: Service): RequestStep =>
  async (c) => {
    const reason = await readiness.findUnreadyReason()
    return reason === undefined
      ? respond(c, jsonReply('{"status":"ready"}'))
      : refuse(c, notReady(reason))
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
