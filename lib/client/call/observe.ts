import * as E from 'fp-ts/Either'
import type { Failure } from '../../failure/failure'
import { classify, messageOf } from '../../failure/report'
import type { Attributes, Span } from '../../runtime/tracer'
import { formatMillis, type Logger } from '../../tracing/log'
import type { AttemptResult, ResponseInfo, ServiceRequest } from './attempt'

/**
 * Describes a failure for logs and spans. They must not hold any part of a body, so the description leaves out the
 * message of the service and the ids of questions.
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
    case 'CommandLine':
    case 'Connection':
    case 'Engine':
    case 'Internal':
      return messageOf(failure)
  }
}

/** Ends a span, as failed if there is a failure. */
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

/** The status and request id of a result. */
export const infoOf = <A>(result: AttemptResult<A>): ResponseInfo =>
  E.isRight(result) ? result.right.info : result.left.info

/** A finished attempt, as the log shows it. */
interface LoggedAttempt {
  /** 1 for the first attempt. */
  readonly number: number
  readonly durationMs: number
  readonly info: ResponseInfo
  readonly failure: Failure | undefined
  /** The milliseconds before the next attempt; `undefined` if no attempt follows. */
  readonly waitMs: number | undefined
}

/** Logs an attempt at level `debug`, and a retry that follows it at level `warning`. */
export const logAttemptEnd = <A>(
  log: Logger,
  { method, url }: ServiceRequest<A>,
  { number, durationMs, info, failure, waitMs }: LoggedAttempt,
): void => {
  const wait = waitMs === undefined ? undefined : formatMillis(waitMs)
  log.debug('attempt', {
    method,
    url,
    attempt: number,
    status: info.status,
    duration: formatMillis(durationMs),
    error: failure && classify(failure).kind,
    wait,
    request_id: info.requestId,
  })
  if (failure !== undefined && wait !== undefined)
    log.warning('retrying', { attempt: number, wait, error: describeWithoutBody(failure) })
}

/** A finished call, as the log shows it. */
interface LoggedCall {
  readonly attempts: number
  readonly durationMs: number
  readonly info: ResponseInfo
  readonly failure: Failure | undefined
}

/** Logs a call: at level `info` if it succeeded, at level `error` if it failed. */
export const logCallEnd = <A>(
  log: Logger,
  { method, path }: ServiceRequest<A>,
  { attempts, durationMs, info, failure }: LoggedCall,
): void => {
  const fields = {
    operation: `${method} ${path}`,
    attempts,
    status: info.status,
    duration: formatMillis(durationMs),
    request_id: info.requestId,
  }
  if (failure === undefined) log.info('done', fields)
  else
    log.error('failed', {
      ...fields,
      kind: classify(failure).kind,
      error: describeWithoutBody(failure),
    })
}

/**
 * Creates the attributes of an attempt's span, named as in OpenTelemetry's stable HTTP conventions. The first attempt has
 * number 1.
 */
export const createAttemptAttributes = <A>(
  request: ServiceRequest<A>,
  number: number,
): Attributes => {
  const url = new URL(request.url)
  const defaultPort = url.protocol === 'https:' ? 443 : 80
  // The address of an engine in this process, such as `chat:/v1/questions`, has no host.
  const hasHost = url.hostname !== ''
  return {
    'http.request.method': request.method,
    'url.full': request.url,
    // `[::1]` becomes `::1`.
    'server.address': hasHost ? url.hostname.replace(/^\[|\]$/g, '') : undefined,
    'server.port': hasHost ? Number(url.port || defaultPort) : undefined,
    'http.request.resend_count': number === 1 ? undefined : number - 1,
  }
}
