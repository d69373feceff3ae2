import { classify } from '../failure/classify'
import type { Failure } from '../failure/failure'
import { messageOf } from '../failure/message'
import { logMillis } from '../runtime/log'
import type { Attributes, Span } from '../runtime/trace'
import type { Exchange, Facts } from './attempt'
import type { ClientEnv } from './env'
import { redactOf } from './redact'

/**
 * A failure's text for logs and spans, which must not carry any part of a body: the service's own message
 * and question ids are left out. D22, D33
 */
export const ownText = (failure: Failure): string => {
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

/** Ends a span, as failed where there is a failure. D33 */
export const endSpan = (span: Span, failure?: Failure): void => {
  if (failure === undefined) {
    span.end()
    return
  }
  const { kind } = classify(failure)
  span.set({ 'error.type': kind })
  span.end({ kind, message: ownText(failure) })
}

/** How an attempt went, for its log lines. Times in milliseconds. */
export interface Seen<A> {
  readonly exchange: Exchange<A>
  /** Counts from 1. */
  readonly number: number
  readonly duration: number
  readonly facts: Facts
  readonly failure?: Failure
  /** The wait before the next attempt, where one follows. */
  readonly wait?: number
}

/** Logs an attempt at level `debug` and, where another one follows, a line at `warning`. D22 */
export const logAttempt = <A>({ log, config }: ClientEnv, seen: Seen<A>): void => {
  const { exchange, facts, failure, wait } = seen
  log.debug('attempt', {
    method: exchange.method,
    url: redactOf(config)(exchange.url),
    attempt: seen.number,
    status: facts.status,
    duration: logMillis(seen.duration),
    error: failure && classify(failure).kind,
    wait: wait === undefined ? undefined : logMillis(wait),
    request_id: facts.requestId,
  })
  if (failure !== undefined && wait !== undefined)
    log.warning('retrying', {
      attempt: seen.number,
      wait: logMillis(wait),
      error: ownText(failure),
    })
}

/** How a call went, for its log line. The duration is in milliseconds. */
interface Ended {
  /** `POST /v1/questions` */
  readonly operation: string
  readonly attempts: number
  readonly duration: number
  readonly facts: Facts
  readonly failure: Failure | undefined
}

/** Logs a call: at level `info` when it was answered, at `error` when it failed. D22 */
export const logCall = (
  { log }: ClientEnv,
  { operation, attempts, duration, facts, failure }: Ended,
): void => {
  const fields = {
    operation,
    attempts,
    status: facts.status,
    duration: logMillis(duration),
    request_id: facts.requestId,
  }
  if (failure === undefined) log.info('done', fields)
  else log.error('failed', { ...fields, kind: classify(failure).kind, error: ownText(failure) })
}

/** What an attempt's span says, named by OpenTelemetry's stable HTTP conventions. D33 */
export const attemptAttributes = <A>(exchange: Exchange<A>, number: number): Attributes => {
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
