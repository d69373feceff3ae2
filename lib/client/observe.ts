import { classify } from '../failure/classify'
import type { Failure } from '../failure/failure'
import { messageOf } from '../failure/message'
import { logMillis } from '../runtime/log'
import type { Attributes, Span } from '../runtime/trace'
import type { Exchange, Facts } from './attempt'
import type { ClientEnv } from './env'
import { redactOf } from './redact'

/**
 * A failure's text without what a service wrote and without question ids, for logs and spans:
 * they carry no part of a body (D22, D33).
 */
const ownText = (failure: Failure): string => {
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

/** Ends a span, with the failure's kind if there is one. D33 */
export const endSpan = (span: Span, failure?: Failure): void => {
  if (failure === undefined) {
    span.end()
    return
  }
  const { kind } = classify(failure)
  span.set({ 'error.type': kind })
  span.end({ kind, message: ownText(failure) })
}

/** One attempt as it went, for its log line and its span. Times in milliseconds. */
export interface Seen<A> {
  readonly exchange: Exchange<A>
  /** 1 for the first. */
  readonly number: number
  readonly duration: number
  readonly facts: Facts
  readonly failure?: Failure
  /** Before the next attempt, when there is one. */
  readonly wait?: number
}

/** `debug` has a line for each attempt, `warning` one for each retry. D22 */
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

/** A call as it went, for its log line. The duration in milliseconds. */
interface Ended {
  /** `POST /v1/questions` */
  readonly operation: string
  readonly attempts: number
  readonly duration: number
  readonly facts: Facts
  readonly failure: Failure | undefined
}

/** `info` has a line for a call that went well, `error` one for a call that failed. D22 */
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

/** The attributes of an attempt's span, by the stable HTTP conventions. D33 */
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
