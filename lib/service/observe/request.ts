import type { IncomingMessage } from 'node:http'
import { monotonicFactory } from 'ulid'
import type { Span, Tracer } from '../../runtime/tracer'

/**
 * Makes ids such as `req_01k5qz3m7v8n4xw2y9rjt6ch0d`: `req_` and a ULID in lower case. They sort by time, and
 * by order of creation within one millisecond or after the clock was set back. `now` is in milliseconds since
 * the epoch.
 */
export const createRequestIds = (now: () => number): (() => string) => {
  // By default the package asks the system for each of the 16 random characters. Ids are no secrets.
  const ulid = monotonicFactory(Math.random)
  return () => `req_${ulid(now()).toLowerCase()}`
}

/** Starts the span of a request. It continues the caller's trace if the request carries one. */
export const startRequestSpan = (
  tracer: Tracer,
  { method = '', headers: { traceparent, tracestate } }: IncomingMessage,
  route: string,
  requestId: string,
): Span =>
  tracer.start(route === 'other' ? method : `${method} ${route}`, {
    server: {
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    },
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': 'http',
      'svc.request_id': requestId,
    },
  })

/**
 * Ends the span of a request. Only failures of the service or its engine (status 500 and above) count as
 * errors, not faults of the caller.
 */
export const endRequestSpan = (span: Span, status: number, errorType: string | undefined): void => {
  span.set({ 'http.response.status_code': status })
  span.end(
    status < 500
      ? undefined
      : { kind: errorType ?? 'server', message: `answered with status ${status}` },
  )
}
