import * as E from 'fp-ts/Either'
import { parseJson } from '../../codec/json/parse'
import { type Failure, invalidResponse, nameProvider } from '../../failure/failure'
import { mapTexts } from '../../failure/map-texts'
import { redactAndCut } from '../../failure/text/cut'
import type { Redact } from '../../failure/text/redact'
import type { ErrorResponse, FailureDetails } from '../dialects/dialect'
import { apiFailure, headerOf } from './api-failure'
import type { CallContext } from './call-context'
import { bodyCutOff } from './connection-failure'
import { describeErrorPage } from './error-page'
import { readRequestedWait } from './retry'
import {
  type HttpRequest,
  type HttpResponse,
  isSuccess,
  type ResponseHead,
  type TransportFailure,
} from './send'

/** A request to the service, and how to read its response. */
export interface ServiceRequest<A> extends HttpRequest {
  /** The API path shown in messages (`/v1/questions`), without the path of the base address. */
  readonly path: string
  /** The provider, which begins the messages of failures. */
  readonly provider?: string | undefined
  /** The response header with the request id; `''` where none is known. */
  readonly requestIdHeader: string
  /** Reads the complete body of a 2xx response. `requestId` comes from the header; `''` where there is none. */
  readonly decode: (body: Uint8Array, requestId: string) => E.Either<Failure, A>
  /** Reads any other response. */
  readonly decodeFailure: (reply: ErrorResponse, redact: Redact) => FailureDetails
}

/** What a response says besides its body, with the API key redacted. */
export interface ResponseInfo {
  readonly status?: number
  readonly requestId?: string
}

/** A decoded 2xx response, and its body as received. */
export interface ServiceResponse<A> {
  readonly value: A
  readonly body: Uint8Array
  readonly info: ResponseInfo
}

/** How an attempt failed, or how the last attempt of a call did. The API key is redacted. */
export interface AttemptFailure {
  readonly failure: Failure
  readonly info: ResponseInfo
  /** How long the service asked to wait before the next attempt (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** Whether the service says that the attempt may be repeated; absent where the failure decides. */
  readonly mayRetry?: boolean
  /** The exception of the HTTP client that broke the exchange. It is for programs and never printed. */
  readonly error?: unknown
}

/** What reading an outcome uses. */
type ReadingEnv = Pick<CallContext, 'runtime' | 'redact'>

/** Reads how an exchange ended: decodes a 2xx response, and turns anything else into a failure. */
export const readOutcome = <A>(
  exchange: ServiceRequest<A>,
  outcome: E.Either<TransportFailure, HttpResponse>,
  env: ReadingEnv,
): E.Either<AttemptFailure, ServiceResponse<A>> => {
  const received = readReply(exchange, outcome, env)
  if (E.isRight(received)) return received
  const failure = nameProvider(received.left.failure, exchange.provider)
  return E.left({ ...received.left, failure })
}

const readReply = <A>(
  exchange: ServiceRequest<A>,
  outcome: E.Either<TransportFailure, HttpResponse>,
  env: ReadingEnv,
): E.Either<AttemptFailure, ServiceResponse<A>> => {
  if (E.isLeft(outcome)) return E.left(describeLoss(exchange, outcome.left, env))
  const reply = outcome.right
  return isSuccess(reply) ? readSuccess(exchange, reply, env) : readRejection(exchange, reply, env)
}

const factsOf = <A>(
  { requestIdHeader }: ServiceRequest<A>,
  { status, header }: ResponseHead,
  redact: Redact,
): ResponseInfo => ({
  status,
  requestId: redactAndCut(redact)(headerOf(header, requestIdHeader)) || undefined,
})

/**
 * Reads a 2xx response. A body without an announced length may have been cut off unnoticed. Where such a body
 * also stops in the middle of its JSON, the failure counts as a connection failure, which is retried. A body
 * that is an error counts as that error.
 */
const readSuccess = <A>(
  exchange: ServiceRequest<A>,
  reply: HttpResponse,
  env: ReadingEnv,
): E.Either<AttemptFailure, ServiceResponse<A>> => {
  const { redact } = env
  const { body, endsWithConnection } = reply
  const facts = factsOf(exchange, reply, redact)
  const decoded = exchange.decode(body, facts.requestId ?? '')
  if (E.isRight(decoded)) return E.right({ value: decoded.right, body, info: facts })
  if (endsWithConnection && endsEarly(body))
    return E.left({ failure: bodyCutOff(new URL(exchange.url).host), info: facts })
  const trouble = exchange.decodeFailure(reply, redact)
  if (trouble.envelope?.status !== undefined) {
    const { status } = trouble.envelope
    return E.left(describeRejection(exchange, { ...reply, status }, trouble, env))
  }
  const failure = trouble.envelope ? invalidResponse('error', trouble.message) : decoded.left
  return E.left({ failure: mapTexts(failure, redactAndCut(redact)), info: facts })
}

/** Whether a body stops in the middle of a JSON document. An empty body does not count, since it never began. */
const endsEarly = (body: Uint8Array): boolean => {
  const document = parseJson(body)
  return body.length > 0 && E.isLeft(document) && document.left.atEnd
}

/** Reads a response with any other status, which may still answer the request. */
const readRejection = <A>(
  exchange: ServiceRequest<A>,
  reply: HttpResponse,
  env: ReadingEnv,
): E.Either<AttemptFailure, ServiceResponse<A>> => {
  const trouble = exchange.decodeFailure(reply, env.redact)
  const facts = factsOf(exchange, reply, env.redact)
  const answer = trouble.isAnswer ? exchange.decode(reply.body, facts.requestId ?? '') : undefined
  return answer !== undefined && E.isRight(answer)
    ? E.right({ value: answer.right, body: reply.body, info: facts })
    : E.left(describeRejection(exchange, reply, trouble, env))
}

/** Turns a response that is an error into a failure. */
const describeRejection = <A>(
  exchange: ServiceRequest<A>,
  reply: ErrorResponse,
  { message, cause, mayRetry, retryAfterMs }: FailureDetails,
  { runtime, redact }: ReadingEnv,
): AttemptFailure => {
  const page = describeErrorPage(reply)
  const failure = mapTexts(
    apiFailure(exchange, reply, { message: page ?? message, cause }, redact),
    redactAndCut(redact),
  )
  const requestId = (failure._tag === 'ApiError' && failure.requestId) || undefined
  return {
    failure,
    info: { status: reply.status, requestId },
    retryAfterMs: readRequestedWait(reply.header, runtime.clock.now(), retryAfterMs),
    ...(mayRetry === undefined ? {} : { mayRetry }),
  }
}

/**
 * Turns an exchange that broke off into a failure. Where the response already had a status other than 2xx, that
 * explains more than the broken connection. An interrupt takes precedence over both.
 */
const describeLoss = <A>(
  exchange: ServiceRequest<A>,
  { failure, head, error }: TransportFailure,
  env: ReadingEnv,
): AttemptFailure => {
  const { redact } = env
  if (head === undefined || isSuccess(head) || failure._tag === 'Interrupted')
    return {
      failure: mapTexts(failure, redactAndCut(redact)),
      info: head ? factsOf(exchange, head, redact) : {},
      ...(error === undefined ? {} : { error }),
    }
  const reply = { ...head, body: new Uint8Array() }
  return describeRejection(exchange, reply, exchange.decodeFailure(reply, redact), env)
}
