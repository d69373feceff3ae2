import { servedDialects } from '../../client/dialects/serve'
import type { Clock } from '../../runtime/runtime'
import type { Tracer } from '../../runtime/tracer'
import type { Logger } from '../../tracing/log'
import { operationPath, reportPaths } from '../contract/operation-path'
import { callerLeft } from '../contract/problem'
import type { Metrics } from '../observe/metrics'
import type { FindPeer } from '../observe/peer'
import type { Readiness } from '../observe/readiness'
import { endRequestSpan, startRequestSpan } from '../observe/request'
import type { CallContext, RequestStep, ServedCall } from './call'

/** The logs, metrics and spans that record requests. */
export interface CallRecorders {
  readonly clock: Clock
  readonly tracer: Tracer
  readonly log: Logger
  readonly metrics: Metrics
  readonly readiness: Readiness
  readonly findPeer: FindPeer
  readonly newRequestId: () => string
  /** The calls whose response has not been sent completely. */
  readonly live: Set<ServedCall>
  /** The maximum time in milliseconds in which a caller takes no byte of its response. */
  readonly idleMs: number
}

const [usualDialect] = servedDialects

/** Begins a call: gives it an id and a span, and ends it if the caller disconnects. */
export const assignCall =
  ({ tracer, newRequestId, live, idleMs }: CallRecorders): RequestStep =>
  async (c, next) => {
    const { incoming, outgoing } = c.env
    const id = newRequestId()
    const { route, dialect } = findRoute(c.req.path)
    const span = startRequestSpan(tracer, incoming, route, id)
    const end = new AbortController()
    const call: ServedCall = {
      id,
      route,
      dialect,
      outgoing,
      span,
      end,
      notes: {},
      body: new Uint8Array(),
    }
    live.add(call)
    outgoing.once('close', () => {
      live.delete(call)
      if (!outgoing.writableFinished) end.abort(callerLeft)
    })
    c.set('call', call)
    await next()
    // From now on Node closes the connection if the caller takes no byte for this long.
    outgoing.setTimeout(idleMs)
  }

/** The route's name for log and metrics, and its dialect. Scenarios of `replay` have a path in front of the route's. */
const findRoute = (path: string): Pick<ServedCall, 'route' | 'dialect'> => {
  if (reportPaths.some((one) => one === path)) return { route: path, dialect: usualDialect }
  const route = operationPath(path)?.route ?? 'other'
  const dialect = servedDialects.find(({ askPath }) => askPath === route) ?? usualDialect
  return { route, dialect }
}

/** Writes the line of the access log and counts the request, once its reply is known. */
export const logRequest =
  ({ clock, log, metrics, findPeer }: CallRecorders): RequestStep =>
  async (c, next) => {
    const started = clock.monotonic()
    await next()
    const ms = clock.monotonic() - started
    const call = c.get('call')
    const { id, route, holder, notes, reply, span } = call
    const status = reply?.status ?? callerLeft.status
    const { method } = c.req
    if (reply?.cause !== undefined) logEngineFailure(c, log)
    metrics.recordRequest({ route, method, status, seconds: ms / 1000, key: holder?.name })
    log.info('request', {
      request_id: id,
      method,
      route,
      status,
      duration: `${ms.toFixed(1)}ms`,
      peer: findPeer(c.env.incoming),
      key: holder?.name,
      ...notes,
    })
    endRequestSpan(span, status, notes.error?.toString())
  }

const logEngineFailure = (c: CallContext, log: Logger): void => {
  const { id, notes, reply } = c.get('call')
  log.warning('engine failed', {
    request_id: id,
    engine_request_id: notes.engine_request_id,
    status: reply?.status,
    cause: reply?.cause,
  })
}
