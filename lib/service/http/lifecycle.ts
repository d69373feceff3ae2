import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LogFields, Logger } from '../../runtime/log'
import type { Clock } from '../../runtime/runtime'
import { noSpan, noTracer, type Span, type Tracer } from '../../runtime/trace'
import { Cancellation } from '../limits/cancellation'
import type { Metrics } from '../observe/metrics'
import { type NewRequestId, requestIds } from '../observe/request-id'
import { internalError, type Problem } from '../problem'
import { type Call, problemReply, type Reply } from './call'

/** What accompanies every request: ids, clock, log, spans, counts. */
export interface Surroundings {
  readonly clock: Clock
  readonly tracer: Tracer
  readonly log: Logger
  /** Whether each request gets a line. */
  readonly accessLog: boolean
  readonly metrics: Metrics
}

/** Runs requests from their first byte to the log line. */
export interface Lifecycle {
  /** Answers one request. Never rejects; whatever is thrown inside becomes a plain 500. */
  readonly serve: (
    route: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    run: (call: Call) => Reply | Promise<Reply>,
  ) => Promise<Reply>
  /** Counts and logs a request that never became one: bad HTTP, or too slow with its headers. */
  readonly refuse: (problem: Problem) => Reply
  /** Calls in flight. */
  readonly live: ReadonlySet<Call>
  /** From now on connections end with their answer. D43 */
  readonly drain: () => void
}

/** Follows the connections and requests of a server, so that it can stop in order. D43 */
export const lifecycle = (around: Surroundings): Lifecycle => {
  const { clock, metrics, log } = around
  const newId: NewRequestId = requestIds(clock.now)
  const live = new Set<Call>()
  const turn = turns()
  let draining = false

  const finish = (route: string, call: Call, status: number, started: number): void => {
    live.delete(call)
    const method = call.incoming.method ?? ''
    const ms = clock.monotonic() - started
    metrics.finished({ route, method, status, seconds: ms / 1000 })
    if (around.accessLog) log.info('request', logFields(call, route, status, ms))
    if (call.span === noSpan) return
    call.span.set({ 'http.response.status_code': status })
    call.span.end(
      status < 500
        ? undefined
        : { kind: String(call.notes.error ?? 'server'), message: `answered with status ${status}` },
    )
  }

  return {
    live,
    drain: () => {
      draining = true
    },
    refuse: (problem) => {
      const id = newId()
      metrics.finished({ route: 'other', method: 'other', status: problem.status, seconds: 0 })
      log.info('request', { request_id: id, status: problem.status, error: problem.type })
      return withId(problemReply(problem), id, true)
    },
    serve: async (route, incoming, outgoing, run) => {
      const started = clock.monotonic()
      const call = newCall(around, newId(), route, incoming, outgoing)
      live.add(call)
      let gone = false
      outgoing.on('close', () => {
        if (outgoing.writableFinished) return
        gone = true
        call.end.cancel()
      })
      let reply: Reply
      try {
        reply = await run(call)
      } catch (error) {
        log.error('defect', { request_id: call.id, cause: causeOf(error) })
        reply = problemReply(internalError, call)
      }
      finish(route, call, gone ? 499 : reply.status, started)
      await turn()
      return withId(reply, call.id, draining)
    },
  }
}

/**
 * Resolves when the requests that have come in by now are worked on. Their answers then leave one
 * after the other: under load that wakes the callers' side once, not once for each.
 */
const turns = (): (() => Promise<void>) => {
  let next: Promise<void> | undefined
  return () => {
    next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined
        resolve()
      })
    })
    return next
  }
}

const causeOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

const newCall = (
  around: Surroundings,
  id: string,
  route: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Call => {
  const span = around.tracer === noTracer ? noSpan : startSpan(around.tracer, id, route, incoming)
  return { id, incoming, outgoing, span, end: new Cancellation(), notes: {} }
}

const startSpan = (tracer: Tracer, id: string, route: string, incoming: IncomingMessage): Span => {
  const { traceparent, tracestate } = incoming.headers
  return tracer.start(route === 'other' ? `${incoming.method}` : `${incoming.method} ${route}`, {
    server: {
      ...(typeof traceparent === 'string' ? { traceparent } : {}),
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    },
    attributes: {
      'http.request.method': incoming.method,
      'http.route': route,
      'url.scheme': 'http',
      'svc.request_id': id,
    },
  })
}

const logFields = (call: Call, route: string, status: number, ms: number): LogFields => ({
  request_id: call.id,
  method: call.incoming.method,
  route,
  status,
  duration: `${ms.toFixed(1)}ms`,
  peer: call.incoming.socket.remoteAddress,
  ...call.notes,
})

/** The id goes on every response; one that an engine passed on stays. D37 */
const withId = (reply: Reply, id: string, closing: boolean): Reply => {
  const headers: Record<string, string> = { 'x-service-request-id': id }
  for (const name in reply.headers) {
    const lower = name.toLowerCase() === 'x-service-request-id' ? 'x-service-request-id' : name
    headers[lower] = reply.headers[name] ?? ''
  }
  if (closing) headers.Connection = 'close'
  return { ...reply, headers }
}
