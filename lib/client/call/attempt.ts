import * as E from 'fp-ts/Either'
import { parseJson } from '../../codec/json/parse'
import {
  connection,
  type Failure,
  invalidResponse,
  mapFailureTexts,
  nameProvider,
} from '../../failure/failure'
import { redactAndCut } from '../../text/sanitize'
import type { Redact } from '../../text/secret'
import type { ErrorResponse, FailureDetails } from '../dialects/dialect'
import type { CallContext } from './call-context'
import { createApiFailure, readHeader } from './failures'
import { readRequestedWait } from './retry'
import {
  type HttpRequest,
  type HttpResponse,
  isSuccess,
  type ResponseHead,
  type TransportFailure,
} from './send'

/**
 * A request to the service, and how to decode its response. A refusal is an error response that svc reads as an answer: the service
 * declines to answer the questions.
 */
export interface ServiceRequest<A> extends HttpRequest {
  /** The API path for messages (`/v1/questions`), without the path of the base address. */
  readonly path: string
  /** The name of the provider, which begins the messages of failures. */
  readonly providerName?: string | undefined
  /** The name of the response header with the request id; `''` if the service has none. */
  readonly requestIdHeader: string
  /** Decodes the body of a 2xx response or of a refusal. `requestId` is the one in the headers, or `''`. */
  readonly decode: (body: Uint8Array, requestId: string) => E.Either<Failure, A>
  /** Decodes a response that is not 2xx, or whose body `decode` rejects. */
  readonly decodeFailure: (response: ErrorResponse, redact: Redact) => FailureDetails
}

/** The status and request id of a response, with the API key redacted. Empty if no response was received. */
export interface ResponseInfo {
  readonly status?: number
  readonly requestId?: string
}

/** A decoded response: its status is 2xx, or it is a refusal. */
export interface ServiceResponse<A> {
  readonly value: A
  /** The body as it was received. */
  readonly body: Uint8Array
  readonly info: ResponseInfo
}

/** A failed attempt. The API key is redacted in all texts but `error`. */
export interface AttemptFailure {
  readonly failure: Failure
  readonly info: ResponseInfo
  /** The wait that the service asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** `true` or `false` if the service says so; if it is absent, `failure` decides. */
  readonly mayRetry?: boolean | undefined
  /** The error's type and code, if the decoder of failures returns them. */
  readonly errorNames?: ReadonlyArray<string> | undefined
  /** The exception of the HTTP client, for programs that use `svc` as a library. It is never printed. */
  readonly error?: unknown
}

/** The response of an attempt, or its failure. */
export type AttemptResult<A> = E.Either<AttemptFailure, ServiceResponse<A>>

type DecodeContext = Pick<CallContext, 'runtime' | 'redact'>

/** Decodes the response of an attempt. Fails if no complete response was received, or if it is an error or invalid. */
export const decodeResult = <A>(
  request: ServiceRequest<A>,
  received: E.Either<TransportFailure, HttpResponse>,
  context: DecodeContext,
): AttemptResult<A> => {
  const result = E.isLeft(received)
    ? E.left(convertTransportFailure(request, received.left, context))
    : decodeResponse(request, received.right, context)
  if (E.isRight(result)) return result
  const failure = nameProvider(result.left.failure, request.providerName)
  return E.left({ ...result.left, failure })
}

const decodeResponse = <A>(
  request: ServiceRequest<A>,
  response: HttpResponse,
  context: DecodeContext,
): AttemptResult<A> =>
  isSuccess(response)
    ? decodeSuccess(request, response, context)
    : decodeNonSuccess(request, response, context)

/**
 * Decodes a 2xx response. If the body ends in the middle of its JSON and had no announced length, the connection was probably
 * lost: the failure is a connection failure, which is retried. If the body is an error document with a status, the failure is that
 * of a response with this status. An error document without a status makes the response invalid.
 */
const decodeSuccess = <A>(
  request: ServiceRequest<A>,
  response: HttpResponse,
  context: DecodeContext,
): AttemptResult<A> => {
  const { redact } = context
  const { body, endsWithConnection } = response
  const info = readInfo(request, response, redact)
  const decoded = request.decode(body, info.requestId ?? '')
  if (E.isRight(decoded)) return E.right({ value: decoded.right, body, info })
  if (endsWithConnection && isTruncatedJson(body)) {
    const { host } = new URL(request.url)
    return E.left({ failure: connection({ cause: 'the response body is cut off', host }), info })
  }
  const details = request.decodeFailure(response, redact)
  if (details.errorDocument?.status !== undefined) {
    const { status } = details.errorDocument
    return E.left(createAttemptFailure(request, { ...response, status }, details, context))
  }
  const failure = details.errorDocument ? invalidResponse('error', details.message) : decoded.left
  return E.left({ failure: mapFailureTexts(failure, redactAndCut(redact)), info })
}

/** Returns `true` if a body ends in the middle of JSON. An empty body does not count as truncated. */
const isTruncatedJson = (body: Uint8Array): boolean => {
  const document = parseJson(body)
  return body.length > 0 && E.isLeft(document) && document.left.isIncomplete
}

/** Decodes a response that is not 2xx. It is a failure, unless it is a refusal: then `decode` reads the answers in its body. */
const decodeNonSuccess = <A>(
  request: ServiceRequest<A>,
  response: HttpResponse,
  context: DecodeContext,
): AttemptResult<A> => {
  const details = request.decodeFailure(response, context.redact)
  if (details.isRefusal) {
    const { body } = response
    const info = readInfo(request, response, context.redact)
    const decoded = request.decode(body, info.requestId ?? '')
    if (E.isRight(decoded)) return E.right({ value: decoded.right, body, info })
    // A refusal that cannot be decoded fails like any other error response.
  }
  return E.left(createAttemptFailure(request, response, details, context))
}

/** Reads the status and the request id of a response. */
const readInfo = <A>(
  { requestIdHeader }: ServiceRequest<A>,
  { status, header }: ResponseHead,
  redact: Redact,
): ResponseInfo => ({
  status,
  // `''` becomes `undefined`, because the response has no request id then.
  requestId: redactAndCut(redact)(readHeader(header, requestIdHeader)) || undefined,
})

/** Creates the failure of an attempt from an error response, and from what the dialect has read in it. */
const createAttemptFailure = <A>(
  request: ServiceRequest<A>,
  response: ErrorResponse,
  details: FailureDetails,
  { runtime, redact }: DecodeContext,
): AttemptFailure => {
  const failure = mapFailureTexts(
    createApiFailure(request, response, details, redact),
    redactAndCut(redact),
  )
  // `createApiFailure` always returns an `ApiError`. Its request id is `''` if the response has none.
  const requestId = failure._tag === 'ApiError' ? failure.requestId || undefined : undefined
  return {
    failure,
    info: { status: response.status, requestId },
    retryAfterMs: readRequestedWait(response.header, runtime.clock.now(), details.retryAfterMs),
    mayRetry: details.mayRetry,
    errorNames: details.errorNames,
  }
}

/**
 * Creates the failure of an attempt without a complete response. If the headers of an error response were received, the failure
 * is that of its status, which explains more than the lost connection. An interrupt overrides both.
 */
const convertTransportFailure = <A>(
  request: ServiceRequest<A>,
  { failure, head, error }: TransportFailure,
  context: DecodeContext,
): AttemptFailure => {
  const { redact } = context
  if (head !== undefined && !isSuccess(head) && failure._tag !== 'Interrupted') {
    const response = { ...head, body: new Uint8Array() }
    return createAttemptFailure(request, response, request.decodeFailure(response, redact), context)
  }
  return {
    failure: mapFailureTexts(failure, redactAndCut(redact)),
    info: head ? readInfo(request, head, redact) : {},
    error,
  }
}
