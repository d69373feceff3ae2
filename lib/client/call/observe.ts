import { classify } from '../../failure/classify'
import type { Failure } from '../../failure/failure'
import { messageOf } from '../../failure/message'
import type { Attributes, Span } from '../../runtime/tracer'
import { formatMillis, type Logger } from '../../tracing/log'
import type { ResponseInfo, ServiceRequest } from './attempt'

/**
 * Describes a failure for logs and spans. These must not hold any part of a body, so the service's message and
 * the ids of questions are left out.
 */
export const describeWithoutBody = (failure: Failure): string => {
  switch (failure._tag) {
    case 'ApiError':
      return messageOf({ ...failure, message: '' })
    case 'InvalidResponse':
      return 'invalid response'
    case 'Validation':
      return 'invalid request'
    case 'Interrupted':
    case 'Usage':
    case 'Framework':
    case 'Connection':
    case 'Internal':
      return messageOf(failure)
  }
}

/** Ends a span, marked as failed where a failure is given. */
export const endSpan = (span: Span | undefined, failure?: Failure): void => {
  if (span === undefined) return
  if (failure === undefined) {
    span.end()
    return
  }
  const { kind } = classify(failure)
  span.set({ 'error.type': kind })
  span.end({ kind, message: describeWithoutBody(failure) })
}

/** The outcome of an attempt, for its log lines. Times are in milliseconds. */
export interface Seen<A> {
  readonly exchange: ServiceRequest<A>
  /** The number of the attempt; the first is 1. */
  readonly number: number
  readonly duration: number
  readonly info: ResponseInfo
  readonly failure?: Failure
  /** The wait before the next attempt, if there is one. */
  readonly wait?: number
}

/** Logs an attempt at level `debug`, and at `warning` where another one follows. */
export const logAttempt = <A>(log: Logger, seen: Seen<A>): void => {
  const { exchange, info: facts, failure, wait } = seen
  log.debug('attempt', {
    method: exchange.method,
    url: exchange.url,
    attempt: seen.number,
    status: facts.status,
    duration: formatMillis(seen.duration),
    error: failure && classify(failure).kind,
    wait: wait === undefined ? undefined : formatMillis(wait),
    request_id: facts.requestId,
  })
  if (failure !== undefined && wait !== undefined)
    log.warning('retrying', {
      attempt: seen.number,
      wait: formatMillis(wait),
      error: describeWithoutBody(failure),
    })
}

/** The outcome of a call, for its log line. The duration is in milliseconds. */
interface Ended {
  /** Method and path, such as `POST /v1/questions`. */
  readonly operation: string
  readonly attempts: number
  readonly duration: number
  readonly info: ResponseInfo
  readonly failure: Failure | undefined
}

/** Logs a call: at level `info` when it succeeded, at `error` when it failed. */
export const logCallEnd = (
  log: Logger,
  { operation, attempts, duration, info: facts, failure }: Ended,
): void => {
  const fields = {
    operation,
    attempts,
    status: facts.status,
    duration: formatMillis(duration),
    request_id: facts.requestId,
  }
  if (failure === undefined) log.info('done', fields)
  else
    log.error('failed', {
      ...fields,
      kind: classify(failure).kind,
      error: describeWithoutBody(failure),
    })
}

/** The attributes of an attempt's span, named as in OpenTelemetry's stable HTTP conventions. */
export const describeAttempt = <A>(exchange: ServiceRequest<A>, number: number): Attributes => {
  const url = new URL(exchange.url)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return {
    'http.request.method': exchange.method,
    'url.full': exchange.url,
    'server.address': url.hostname.replace(/^\[|\]$/g, ''),
    'server.port': port,
    'http.request.resend_count': number === 1 ? undefined : number - 1,
  }
}
