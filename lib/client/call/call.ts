import * as E from 'fp-ts/Either'
import { interrupted } from '../../failure/failure'
import type { Attributes, Span } from '../../runtime/tracer'
import {
  type AttemptFailure,
  type AttemptResult,
  decodeResult,
  type ServiceRequest,
  type ServiceResponse,
} from './attempt'
import type { CallContext } from './call-context'
import {
  createAttemptAttributes,
  describeWithoutBody,
  endSpan,
  infoOf,
  logAttemptEnd,
  logCallEnd,
} from './observe'
import { decideRetryWait } from './retry'
import { send } from './send'

/** A call of a service: its request, and the attributes of its span. */
export interface ServiceCall<A> {
  /** The name of the span. */
  readonly name: string
  readonly request: ServiceRequest<A>
  /** Creates the attributes that are known before the call. Called only if the context has a tracer. */
  readonly createRequestAttributes: () => Attributes
  /** Creates the attributes that the response adds. Called only if the context has a tracer. */
  readonly createResponseAttributes: (value: A) => Attributes
}

/** The failure of a call, which is that of its last attempt. */
export interface CallFailure extends AttemptFailure {
  /** The number of attempts that were made; 0 if the request could not be sent at all. */
  readonly attempts: number
}

/** The state of a call between its attempts. The spans are `undefined` if the context has no tracer. */
interface CallState {
  readonly span: Span | undefined
  /** Milliseconds on the monotonic clock. */
  readonly startedMs: number
  /** The number of attempts that were started. */
  attempts: number
  lastAttemptSpan: Span | undefined
}

/** An attempt that is in flight. */
interface Attempt {
  /** 1 for the first attempt. */
  readonly number: number
  readonly span: Span | undefined
  /** Milliseconds on the monotonic clock. */
  readonly startedMs: number
}

/**
 * Sends a request and decodes the response. Repeats it after failures that may pass, such as a lost connection or
 * status 429, up to `maxRetries` times. Waits for its turn before each attempt if the rate is limited. Fails as the last attempt
 * did.
 */
export const callService = async <A>(
  call: ServiceCall<A>,
  context: CallContext,
): Promise<E.Either<CallFailure, ServiceResponse<A>>> => {
  const { pace, signal } = context
  // The wait for the first turn does not count as time of the call.
  if (pace) await pace.awaitTurn(signal)
  const state = startCall(call, context)
  for (;;) {
    const attempt = startAttempt(call, state, context)
    const received = await send(addTraceHeaders(call.request, attempt.span), context)
    const result = decodeResult(call.request, received, context)
    // The end of the attempt is logged with the wait, so the wait is decided first.
    const waitMs = decideWait(result, state, context)
    endAttempt(call, attempt, result, waitMs, context)
    if (waitMs === undefined) return endCall(call, state, result, context)
    if (waitMs > 0) await context.runtime.clock.sleep(waitMs, signal)
    if (pace) await pace.awaitTurn(signal)
    // Both waits end early on an interrupt. Before the first attempt there is no such check: `send` fails as interrupted.
    if (signal?.aborted)
      return endCall(call, state, E.left({ failure: interrupted, info: {} }), context)
  }
}

const startCall = <A>(call: ServiceCall<A>, context: CallContext): CallState => {
  const { tracer, parent, runtime } = context
  const span = tracer?.start(call.name, {
    parent,
    client: true,
    attributes: call.createRequestAttributes(),
  })
  return { span, startedMs: runtime.clock.monotonic(), attempts: 0, lastAttemptSpan: undefined }
}

/** Counts an attempt and starts its span, which links to the span of the attempt before. */
const startAttempt = <A>(
  { request }: ServiceCall<A>,
  state: CallState,
  { tracer, runtime }: CallContext,
): Attempt => {
  state.attempts += 1
  const number = state.attempts
  const span = tracer?.start(request.method, {
    parent: state.span,
    client: true,
    links: state.lastAttemptSpan ? [state.lastAttemptSpan] : [],
    attributes: createAttemptAttributes(request, number),
  })
  state.lastAttemptSpan = span
  return { number, span, startedMs: runtime.clock.monotonic() }
}

/** Adds the headers that name the span, so that the service can continue the trace. */
const addTraceHeaders = <A>(
  request: ServiceRequest<A>,
  span: Span | undefined,
): ServiceRequest<A> =>
  span === undefined ? request : { ...request, headers: { ...request.headers, ...span.headers() } }

/** Returns the milliseconds to wait before the next attempt; `undefined` if the result is final. */
const decideWait = <A>(
  result: AttemptResult<A>,
  state: CallState,
  { runtime, maxRetries, isTimeoutFinal }: CallContext,
): number | undefined => {
  if (E.isRight(result)) return undefined
  const { failure, mayRetry, retryAfterMs } = result.left
  const isTimeout = failure._tag === 'Connection' && failure.timeout !== undefined
  const isFinal = isTimeoutFinal === true && isTimeout
  return decideRetryWait({
    failure,
    // An absent `mayRetry` leaves the decision to the failure.
    mayRetry: isFinal ? false : mayRetry,
    retries: state.attempts - 1,
    maxRetries,
    elapsedMs: runtime.clock.monotonic() - state.startedMs,
    retryAfterMs,
    random: runtime.random,
  })
}

/**
 * Reports the end of an attempt: to the pace, which limits the rate, to the span, to the log, and to the caller if a retry
 * follows. `waitMs` is the time before that retry; `undefined` if none follows.
 */
const endAttempt = <A>(
  { request }: ServiceCall<A>,
  { number, span, startedMs }: Attempt,
  result: AttemptResult<A>,
  waitMs: number | undefined,
  context: CallContext,
): void => {
  const { pace, log, reportRetry, runtime } = context
  const info = infoOf(result)
  const failure = E.isLeft(result) ? result.left.failure : undefined
  pace?.reportEnd({
    isAnswered: failure === undefined,
    status: info.status,
    retryAfterMs: E.isLeft(result) ? result.left.retryAfterMs : undefined,
  })
  span?.set({ 'http.response.status_code': info.status })
  endSpan(span, failure)
  if (log) {
    const durationMs = runtime.clock.monotonic() - startedMs
    logAttemptEnd(log, request, { number, durationMs, info, failure, waitMs })
  }
  if (failure !== undefined && waitMs !== undefined)
    reportRetry?.(number + 1, describeWithoutBody(failure))
}

/** Ends the span of a call, logs its end, and returns its result. */
const endCall = <A>(
  { request, createResponseAttributes }: ServiceCall<A>,
  { span, startedMs, attempts }: CallState,
  result: AttemptResult<A>,
  { log, runtime }: CallContext,
): E.Either<CallFailure, ServiceResponse<A>> => {
  const info = infoOf(result)
  const failure = E.isLeft(result) ? result.left.failure : undefined
  span?.set({
    'svc.retry.attempts': attempts - 1,
    'svc.request_id': info.requestId,
    'http.response.status_code': info.status,
    ...(E.isRight(result) ? createResponseAttributes(result.right.value) : {}),
  })
  endSpan(span, failure)
  if (log) {
    const durationMs = runtime.clock.monotonic() - startedMs
    logCallEnd(log, request, { attempts, durationMs, info, failure })
  }
  return E.isRight(result) ? result : E.left({ ...result.left, attempts })
}
