import type { RequestListener } from 'node:http'
import * as E from 'fp-ts/Either'
import * as O from 'fp-ts/Option'
import { servedDialects } from '../../client/dialects/serve'
import type { ServedDialect } from '../../client/dialects/served'
import { modelsPath, operationPath, parseTarget } from '../contract/operation-path'
import { methodNotAllowed, notFound, notReady, type Problem } from '../contract/problem'
import { type Admission, checkKey } from '../limits/admission'
import { checkHost } from '../limits/host'
import type { Metrics } from '../observe/metrics'
import type { Readiness } from '../observe/readiness'
import openapi from '../svc-openapi.json'
import { jsonReply, type Operations, problemReply, unheard } from './call'
import type { Calls, Handler } from './calls'
import { checkMediaType, type ReadBody } from './read-body'

/** The parts of the service that its routes use. */
export interface Service {
  readonly calls: Calls
  readonly admission: Admission
  readonly readBody: ReadBody
  readonly operations: Operations
  /** Whether a path may have a prefix before `/v1`, as the scenarios of `replay` do. D74 */
  readonly takesPrefixes: boolean
  readonly metrics: Metrics
  readonly readiness: Readiness
}

/** One path: its handlers by method, and the dialect of what is said there. */
interface Route {
  readonly methods: ReadonlyMap<string, Handler>
  readonly dialect: ServedDialect
}

const [usualDialect] = servedDialects

const routeGet = (handler: Handler): Route => ({
  methods: new Map([
    ['GET', handler],
    ['HEAD', handler],
  ]),
  dialect: usualDialect,
})

/** The routes, by path. `openapi.json` describes every one. D36, D42, P12 */
export const routesOf = (service: Service): ReadonlyMap<string, Route> => {
  const methods = new Map([['POST', admit(service, answerQuestions(service))]])
  return new Map([
    ...servedDialects.map((dialect) => [dialect.askPath, { methods, dialect }] as const),
    [modelsPath, routeGet(admit(service, (call) => service.operations.models(call)))],
    ['/healthz', routeGet(() => jsonReply('{"status":"ok"}'))],
    ['/readyz', routeGet(reportReadiness(service))],
    ['/metrics', routeGet(reportMetrics(service))],
    ['/openapi.json', routeGet(() => jsonReply(description))],
  ])
}

const description = JSON.stringify(openapi)

/** Answers the requests of Node's own HTTP server: a few fixed paths need no framework. */
export const requestListener = (service: Service): RequestListener => {
  const routes = routesOf(service)
  return (incoming, outgoing) => {
    const { path: whole } = parseTarget(incoming.url)
    const path = (service.takesPrefixes ? operationPath(whole)?.route : undefined) ?? whole
    const route = routes.get(path)
    const badHost = checkHost(incoming, service.admission.keys.isOpen())
    const handler =
      badHost !== undefined
        ? refuse(badHost)
        : route === undefined
          ? refuse(notFound)
          : (route.methods.get(incoming.method ?? '') ??
            refuse(methodNotAllowed([...route.methods.keys()])))
    const name = route === undefined ? 'other' : path
    service.calls
      .take({ name, dialect: route?.dialect ?? usualDialect }, incoming, outgoing, handler)
      .catch(() => outgoing.destroy())
  }
}

const refuse =
  (problem: Problem): Handler =>
  (call) =>
    problemReply(problem, call)

/** Handles only requests whose key is accepted and has not made too many. */
const admit =
  ({ admission }: Service, handler: Handler): Handler =>
  (call) => {
    const holder = checkKey(admission, call.incoming.headers)
    if (E.isLeft(holder)) return problemReply(holder.left, call)
    call.holder = holder.right
    return handler(call)
  }

const answerQuestions =
  ({ readBody, operations }: Service): Handler =>
  async (call) => {
    const { incoming, outgoing } = call
    const problem = checkMediaType(incoming.headers)
    if (problem !== undefined) return problemReply(problem, call)
    const body = await readBody(incoming, outgoing)
    if (E.isLeft(body)) return problemReply(body.left, call)
    if (O.isNone(body.right)) return unheard
    return operations.ask(call, body.right.value)
  }

/** Tells load balancers and Kubernetes whether to send requests here. D78 */
const reportReadiness =
  ({ readiness }: Service): Handler =>
  async (call) => {
    const problem = await readiness.findProblem()
    return problem === undefined
      ? jsonReply('{"status":"ready"}')
      : problemReply(notReady(problem), call)
  }

const reportMetrics =
  ({ metrics }: Service): Handler =>
  async () => ({
    status: 200,
    headers: { 'Content-Type': metrics.contentType },
    body: await metrics.render(),
  })
