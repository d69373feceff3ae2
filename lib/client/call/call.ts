import * as E from 'fp-ts/Either'
import type * as RTE from 'fp-ts/ReaderTaskEither'
import { interrupted } from '../../failure/failure'
import type { Attributes, Span } from '../../runtime/tracer'
import {
  type AttemptFailure,
  readOutcome,
  type ServiceRequest,
  type ServiceResponse,
} from './attempt'
import type { CallContext } from './call-context'
import { describeAttempt, describeWithoutBody, endSpan, logAttempt, logCallEnd } from './observe'
import { decideWait } from './retry'
import { send } from './send'

/** A call: its request, and the attributes of its span. */
export interface ServiceCall<A> {
  /** The span's name. */
  readonly name: string
  readonly request: ServiceRequest<A>
  /** Returns the attributes of the span that are known before the call. */
  readonly describeRequest: () => Attributes
  /** Returns further attributes of the span, from the response. */
  readonly describeResponse: (value: A) => Attributes
}

type Outcome<A> = E.Either<AttemptFailure, ServiceResponse<A>>

/** How a call failed, after how many attempts. */
export interface CallFailure extends AttemptFailure {
  readonly attempts: number
}

/** The state of a call while its attempts are made. The spans are absent where nothing is traced. */
interface Progress {
  readonly span: Span | undefined
  /** When the call began: milliseconds on the monotonic clock. */
  readonly started: number
  /** How many attempts were begun. */
  attempts: number
  lastAttempt?: Span | undefined
}

/**
 * Sends a request, repeating it after failures that may pass, until it succeeds, fails for good, or has used up
 * its retries. Fails as the last attempt did, with the wait that the service then asked for.
 */
export const callService =
  <A>(
    request: ServiceCall<A>,
  ): RTE.ReaderTaskEither<CallContext, CallFailure, ServiceResponse<A>> =>
  (env) =>
  async () => {
    const { parent, runtime, tracer, signal, pace } = env
    if (pace) await pace.awaitTurn(signal)
    const progress: Progress = {
      span: tracer?.start(request.name, {
        ...{ parent, client: true },
        attributes: request.describeRequest(),
      }),
      started: runtime.clock.monotonic(),
      attempts: 0,
    }
    for (;;) {
      const { outcome, wait } = await makeAttempt(request.request, progress, env)
      if (wait === undefined) return concludeCall(request, progress, env, outcome)
      if (wait > 0) await runtime.clock.sleep(wait, signal)
      if (pace) await pace.awaitTurn(signal)
      if (signal?.aborted)
        return concludeCall(request, progress, env, E.left({ failure: interrupted, info: {} }))
    }
  }

/**
 * Makes one attempt, with its own span and log lines. `wait`, in milliseconds, is set where another attempt is
 * to follow.
 */
const makeAttempt = async <A>(
  exchange: ServiceRequest<A>,
  progress: Progress,
  env: CallContext,
): Promise<{ readonly outcome: Outcome<A>; readonly wait?: number }> => {
  const { clock, random } = env.runtime
  progress.attempts += 1
  const number = progress.attempts
  const span = env.tracer?.start(exchange.method, {
    parent: progress.span,
    client: true,
    links: progress.lastAttempt ? [progress.lastAttempt] : [],
    attributes: describeAttempt(exchange, number),
  })
  progress.lastAttempt = span
  const began = clock.monotonic()
  const traced = span && { ...exchange, headers: { ...exchange.headers, ...span.headers() } }
  const outcome = readOutcome(exchange, await send(traced ?? exchange, env)(), env)
  const { info: facts } = E.isRight(outcome) ? outcome.right : outcome.left
  env.pace?.reportEnd({
    answered: E.isRight(outcome),
    status: facts.status,
    retryAfterMs: E.isLeft(outcome) ? outcome.left.retryAfterMs : undefined,
  })
  span?.set({ 'http.response.status_code': facts.status })
  if (E.isRight(outcome)) {
    endSpan(span)
    if (env.log)
      logAttempt(env.log, { exchange, number, duration: clock.monotonic() - began, info: facts })
    return { outcome }
  }
  const ended = clock.monotonic()
  const { failure, retryAfterMs, mayRetry } = outcome.left
  const isTimeout = failure._tag === 'Connection' && failure.timeout !== undefined
  const wait = decideWait({
    failure,
    mayRetry: env.isTimeoutFinal && isTimeout ? false : mayRetry,
    retries: number - 1,
    maxRetries: env.maxRetries,
    elapsed: ended - progress.started,
    retryAfterMs,
    random,
  })
  endSpan(span, failure)
  if (env.log)
    logAttempt(env.log, { exchange, number, duration: ended - began, info: facts, failure, wait })
  if (wait !== undefined) env.reportRetry?.(number + 1, describeWithoutBody(failure))
  return { outcome, wait }
}

/** Ends the call's span and writes its log line. */
const concludeCall = <A>(
  { request: exchange, describeResponse }: ServiceCall<A>,
  { span, started, attempts }: Progress,
  env: CallContext,
  outcome: Outcome<A>,
): E.Either<CallFailure, ServiceResponse<A>> => {
  const { info: facts } = E.isRight(outcome) ? outcome.right : outcome.left
  const failure = E.isRight(outcome) ? undefined : outcome.left.failure
  span?.set({
    'svc.retry.attempts': attempts - 1,
    'svc.request_id': facts.requestId,
    'http.response.status_code': facts.status,
    ...(E.isRight(outcome) ? describeResponse(outcome.right.value) : {}),
  })
  endSpan(span, failure)
  if (env.log)
    logCallEnd(env.log, {
      operation: `${exchange.method} ${exchange.path}`,
      attempts,
      duration: env.runtime.clock.monotonic() - started,
      info: facts,
      failure,
    })
  return E.isRight(outcome) ? outcome : E.left({ ...outcome.left, attempts })
}
