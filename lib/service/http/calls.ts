import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { servedDialects } from '../../client/dialects/serve'
import type { ServedDialect } from '../../client/dialects/served'
import type { Clock } from '../../runtime/runtime'
import type { LogFields, Logger } from '../../tracing/log'
import type { Tracer } from '../../tracing/trace'
import { internalError, type Problem } from '../contract/problem'
import type { Metrics } from '../observe/metrics'
import { endRequestSpan, requestIds, startRequestSpan } from '../observe/request'
import { type Call, problemReply, type Reply, unheard } from './call'
import { refuseWithoutRoom, type SendLimits, send } from './send'

/** What handling any request uses: time, tracing, logging and counting. */
interface Surroundings {
  readonly clock: Clock
  readonly tracer: Tracer
  readonly log: Logger
  readonly metrics: Metrics
}

/** The most requests of one connection that are in work or whose answers are not read yet. */
const mostInFlight = 16

/** Decides the response to a request. */
export type Handler = (call: Call) => Reply | Promise<Reply>

/**
 * Handles the requests of a service. Gives each an id, a span, a line in the access log and its share in the
 * metrics.
 */
export interface Calls {
  /**
   * Answers one request. Never rejects: whatever `handler` throws becomes a plain 500, and is logged as a
   * defect. A connection with more than 16 requests in flight is closed.
   */
  readonly take: (
    route: { readonly name: string; readonly dialect: ServedDialect },
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    handler: Handler,
  ) => Promise<void>
  /**
   * Logs and counts input that never became a request (malformed HTTP, or headers that arrived too slowly), and
   * returns the response to it.
   */
  readonly refuse: (problem: Problem) => Reply
  /** Requests whose response has not been sent completely. */
  readonly live: ReadonlySet<Call>
  /** Makes every later response close its connection, because the service is stopping. D43 */
  readonly drain: () => void
}

/** Starts handling requests. */
export const newCalls = (around: Surroundings, limits: SendLimits): Calls => {
  const { clock, tracer, log, metrics } = around
  const newId = requestIds(clock.now)
  const live = new Set<Call>()
  const connections = new WeakMap<Socket, Set<Call>>()
  let draining = false

  /** The calls in flight on a connection. */
  const inFlightOn = (socket: Socket): Set<Call> => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const calls = new Set<Call>()
    connections.set(socket, calls)
    // Node emits no `close` for a response that waits behind another when the connection ends.
    socket.once('close', () => {
      for (const { outgoing } of calls) outgoing.emit('close')
    })
    return calls
  }

  const begin = (
    { name: route, dialect }: Parameters<Calls['take']>[0],
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Call => {
    const id = newId()
    const span = startRequestSpan(tracer, incoming, route, id)
    const end = new AbortController()
    const call = { id, route, dialect, incoming, outgoing, span, end, notes: {} }
    const inFlight = inFlightOn(incoming.socket)
    live.add(call)
    inFlight.add(call)
    outgoing.once('close', () => {
      live.delete(call)
      inFlight.delete(call)
      if (!outgoing.writableFinished) call.end.abort()
    })
    return call
  }

  const replyOf = async (call: Call, handler: Handler): Promise<Reply> => {
    try {
      return await handler(call)
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'unknown'
      log.error('defect', { request_id: call.id, cause })
      return problemReply(internalError, call)
    }
  }

  const warn = ({ id, notes }: Call, cause: string, status: number): void =>
    log.warning('engine failed', {
      request_id: id,
      engine_request_id: notes.engine_request_id,
      status,
      cause,
    })

  const finish = (call: Call, status: number, ms: number): void => {
    const { route, incoming, notes } = call
    metrics.recordRequest({ route, method: incoming.method ?? '', status, seconds: ms / 1000 })
    log.info('request', logFields(call, status, ms))
    endRequestSpan(call.span, status, notes.error?.toString())
  }

  return {
    take: async (route, incoming, outgoing, handler) => {
      const { socket } = incoming
      if (inFlightOn(socket).size >= mostInFlight) socket.destroy()
      // Requests that came with the one for which the connection was closed.
      if (socket.destroyed) return
      const started = clock.monotonic()
      const call = begin(route, incoming, outgoing)
      const reply = refuseWithoutRoom(await replyOf(call, handler), call, limits)
      const status = outgoing.destroyed ? unheard.status : reply.status
      if (reply.cause !== undefined && status === reply.status) warn(call, reply.cause, status)
      finish(call, status, clock.monotonic() - started)
      // A refusal may be ready before a small body that came with the headers is parsed. After this wait it is,
      // and the connection can stay open.
      if (!incoming.complete) await endOfTurn()
      send(call, reply, draining, limits)
    },
    refuse: (problem) => {
      const id = newId()
      const [dialect] = servedDialects
      const reply = problemReply(problem, { dialect, notes: {} })
      metrics.recordRequest({ route: 'other', method: 'other', status: reply.status, seconds: 0 })
      log.info('request', { request_id: id, status: reply.status, error: problem.type })
      return { ...reply, headers: { 'x-service-request-id': id, ...reply.headers } }
    },
    live,
    drain: () => {
      draining = true
    },
  }
}

const logFields = (
  { id, route, incoming, notes }: Call,
  status: number,
  ms: number,
): LogFields => ({
  request_id: id,
  method: incoming.method,
  route,
  status,
  duration: `${ms.toFixed(1)}ms`,
  peer: incoming.socket.remoteAddress,
  ...notes,
})
