import { monotonicFactory } from 'ulid'
import { keyOnlyHeaders } from '../../client/dialects/dialect'
import { redactExchange } from '../../replay/record/recorded-files'
import type { Span, Tracer } from '../../runtime/tracer'
import { createRedact } from '../../text/secret'
import { isTextRoute, parseOperationPath, reportPaths } from '../contract/operation-path'
import { callerDisconnected } from '../contract/problem'
import { servedDecisions } from '../dialects/served-decisions'
import { servedDialects } from '../dialects/served-dialects'
import type { IncomingRequest, RequestStep, ServedRequest, Service } from './service'

/**
 * Creates the function that makes request ids such as `req_01k5qz3m7v8n4xw2y9rjt6ch0d`: `req_` and a ULID in lower case. Ids sort by
 * time. Within one millisecond, or after the clock was set back, they sort by order of creation. `now` is in milliseconds since 1970.
 */
export const createRequestIds = (now: () => number): (() => string) => {
  // By default ulid calls crypto.randomBytes for each of the 16 random characters. An id need not be secret.
  const ulid = monotonicFactory(Math.random)
  return () => `req_${ulid(now()).toLowerCase()}`
}

/** Assigns the request id, starts the span, and aborts the request if its caller disconnects. */
export const beginRequest =
  ({ tracer, createRequestId, inFlight, idleTimeoutMs }: Service): RequestStep =>
  async (c, next) => {
    const { incoming, outgoing } = c.env
    const id = createRequestId()
    const { route, dialect } = findRoute(c.req.path)
    const abortController = new AbortController()
    const request: ServedRequest = {
      id,
      route,
      dialect,
      outgoing,
      span: startRequestSpan(tracer, incoming, route, id),
      abortController,
      logFields: {},
      body: new Uint8Array(),
    }
    inFlight.add(request)
    outgoing.once('close', () => {
      inFlight.delete(request)
      if (!outgoing.writableFinished) abortController.abort(callerDisconnected)
    })
    c.set('request', request)
    await next()
    // From now on, Node closes the connection if the caller reads no byte of the response for this time.
    outgoing.setTimeout(idleTimeoutMs)
  }

const [defaultDialect] = servedDialects

/** Finds the route and the dialect of a path. The path may have the address of a scenario before the route. */
const findRoute = (path: string): Pick<ServedRequest, 'route' | 'dialect'> => {
  if (reportPaths.some((known) => known === path)) return { route: path, dialect: defaultDialect }
  const route = parseOperationPath(path)?.route ?? 'other'
  // Clients of OpenAI read only failures of its form.
  if (isTextRoute(path)) return { route, dialect: servedDecisions }
  const dialect = servedDialects.find(({ askPath }) => askPath === route) ?? defaultDialect
  return { route, dialect }
}

/** Starts the span of a request. It continues the trace of the caller's `traceparent`, if there is one. */
const startRequestSpan = (
  tracer: Tracer,
  { method = '', headers: { traceparent, tracestate } }: IncomingRequest,
  route: string,
  requestId: string,
): Span =>
  tracer.start(route === 'other' ? method : `${method} ${route}`, {
    // Node joins repeated headers of these names, so they are texts, not lists.
    server: { traceparent: traceparent?.toString(), tracestate: tracestate?.toString() },
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': 'http',
      'svc.request_id': requestId,
    },
  })

/** Returns true for the routes that programs call every few seconds: health checks, and Prometheus. */
const isProbe = (route: string): boolean =>
  route === '/healthz' || route === '/readyz' || route === '/metrics'

/** Writes the access log, updates the metrics and ends the span, once the response is known. */
export const logRequest =
  ({ clock, log, metrics, findPeer }: Service): RequestStep =>
  async (c, next) => {
    const startedAt = clock.monotonic()
    await next()
    const durationMs = clock.monotonic() - startedAt
    const { id, route, holder, logFields, reply, span } = c.get('request')
    const status = reply?.status ?? callerDisconnected.status
    const { method } = c.req
    if (reply?.cause !== undefined)
      log.warning('engine failed', {
        request_id: id,
        engine_request_id: logFields.engine_request_id,
        status,
        cause: reply.cause,
      })
    metrics.recordRequest({ route, method, status, seconds: durationMs / 1000, key: holder?.name })
    const logRequestAt = isProbe(route) ? log.debug : log.info
    logRequestAt('request', {
      request_id: id,
      method,
      route,
      status,
      duration_ms: Math.round(durationMs * 10) / 10,
      peer: findPeer(c.env.incoming),
      key: holder?.name,
      ...logFields,
    })
    endRequestSpan(span, status, logFields.error?.toString())
  }

/** Ends the span of a request. A status from 500 on is an error. Its type is `server` if the access log has no error type. */
const endRequestSpan = (span: Span, status: number, errorType = 'server'): void => {
  span.set({ 'http.response.status_code': status })
  span.end(
    status < 500 ? undefined : { kind: errorType, message: `answered with status ${status}` },
  )
}

/**
 * Records the request and its response as a scenario, unless the caller has disconnected. Redacts the key that the caller sent, which a
 * service without keys of its own does not know.
 */
export const recordExchange = ({ recorder }: Service): RequestStep => {
  if (recorder === undefined) return (_, next) => next()
  return async (c, next) => {
    await next()
    const { body, reply } = c.get('request')
    if (reply === undefined || reply.status === callerDisconnected.status) return
    const { pathname, search } = new URL(c.req.url)
    const exchange = {
      method: c.req.method,
      path: pathname + search,
      requestBody: body,
      status: reply.status,
      headers: reply.headers,
      responseBody: Buffer.from(reply.body),
    }
    const keys = listCallerKeys(c.env.incoming.headers, search)
    recorder.record(redactExchange(exchange, createRedact(keys)))
  }
}

/** The parameters of a query in which clients send their key, as those of Gemini do. */
const keyParameter = /^(?:key|api[-_]?key|(?:access[-_]?)?token)$/i

/** Lists the secrets that a caller sent: in `Authorization`, in other headers for keys, and in the query. */
export const listCallerKeys = (
  headers: IncomingRequest['headers'],
  search: string,
): ReadonlyArray<string> => {
  const keys = [...listCredentials(headers.authorization)]
  for (const name of keyOnlyHeaders) keys.push(headers[name]?.toString().trim() ?? '')
  for (const [name, value] of new URLSearchParams(search))
    if (keyParameter.test(name)) keys.push(value)
  return keys
}

/** Lists the secrets in an `Authorization` header: its credentials, and the user and password in those of the scheme `Basic`. */
const listCredentials = (authorization = ''): ReadonlyArray<string> => {
  const [scheme = '', credentials = ''] = authorization.trim().split(/ +/, 2)
  if (scheme.toLowerCase() !== 'basic') return [credentials]
  const pair = Buffer.from(credentials, 'base64').toString()
  return [credentials, ...pair.split(':')]
}
