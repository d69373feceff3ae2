import * as E from 'fp-ts/Either'
import type * as TE from 'fp-ts/TaskEither'
import { createRequestHeaders } from '../../../client/call/encode-call'
import {
  type HttpResponse,
  isSuccess,
  send,
  type TransportFailure,
} from '../../../client/call/send'
import { bufferOf, maxDocumentBytes, parseJson } from '../../../codec/json/parse'
import { readRequestId } from '../../../codec/response'
import { type Failure, mapFailureTexts } from '../../../failure/failure'
import { describeConnectionCause, messageWithoutProvider } from '../../../failure/report'
import type { Runtime } from '../../../runtime/runtime'
import type { Tracer } from '../../../runtime/tracer'
import type { Duration } from '../../../text/duration'
import { createRedact, type Redact } from '../../../text/secret'
import type { EngineContext, PassthroughRequest, PassthroughResponse } from '../../contract/engine'
import { engineFailed, engineRefusedKey, engineTooSlow, type Problem } from '../../contract/problem'
import { maxContainers } from '../../contract/read-ask'
import type { UpstreamDestination } from './destination'

/** The settings of the `upstream` engine. `model` is for requests without a model, or with an alias. */
export interface UpstreamOptions extends UpstreamDestination {
  /** The time limit of one request; 0 means no limit. */
  readonly timeout: Duration
  readonly userAgent: string
}

export interface UpstreamEnvironment {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  readonly tracer: Tracer
}

/** A request to the upstream service: questions, or a request for the model list if `body` is `undefined`. */
export interface UpstreamRequest {
  readonly body: Uint8Array | undefined
  /** The address of `body`, if it differs from that of the destination. */
  readonly url?: string
  /** Headers that only this request needs. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Converts a caller's request into one for the upstream service, and the response back. */
export type ConvertAsk = (
  options: UpstreamOptions,
  request: PassthroughRequest,
  context: EngineContext,
) => TE.TaskEither<Problem, ConvertedAsk>

interface ConvertedAsk {
  readonly upstreamRequest: UpstreamRequest
  /** Converts the response for the caller. `now` is the time in milliseconds since 1970. */
  readonly convertResponse: (
    response: PassthroughResponse,
    now: number,
  ) => E.Either<Problem, PassthroughResponse>
}

type UpstreamResponse = Pick<HttpResponse, 'status' | 'header' | 'body'>

/** The maximum size of a response. If the body of an error is larger, only its status is passed on. */
const maxBodyBytes = { success: maxDocumentBytes, error: 64 << 10 }

/**
 * Sends a request to the upstream service and reads the response. Redacts the engine's API key in headers and error bodies. Fails
 * if the service cannot be reached, refuses that key, redirects, or returns an invalid response.
 */
export const callUpstream =
  (
    options: UpstreamOptions,
    { runtime, tracer }: UpstreamEnvironment,
    request: UpstreamRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassthroughResponse> =>
  async () => {
    const { body } = request
    const isAsk = body !== undefined
    const url = request.url ?? (isAsk ? options.ask : options.models).url
    const method = isAsk ? 'POST' : 'GET'
    const span = tracer.start(method, {
      parent: context.span,
      client: true,
      attributes: { 'http.request.method': method, 'url.full': url },
    })
    const headers = {
      ...createRequestHeaders(options, { userAgent: options.userAgent, hasBody: isAsk }),
      ...request.headers,
      ...span.headers(),
    }
    const httpRequest = { method, url, headers, body, keepAlive: true, maxBodyBytes }
    const sendContext = { runtime, timeout: options.timeout, signal: context.signal }
    const sent = await send(httpRequest, sendContext)
    const redact = createKeyRedact(options)
    const response = E.isLeft(sent) ? keepStatus(sent.left) : sent
    if (E.isLeft(response)) {
      span.end({ kind: 'connection', message: 'no complete answer' })
      return E.left(createTransportProblem(mapFailureTexts(response.left.failure, redact)))
    }
    span.set({ 'http.response.status_code': response.right.status })
    span.end()
    // The body may be long, so checking it waits for its turn on the event loop.
    const passed = await context.compute(() => selectPassedParts(response.right, redact, options))()
    return E.flatten(passed)
  }

/** Creates the function that redacts the engine's key. */
export const createKeyRedact = ({ key }: UpstreamOptions): Redact =>
  createRedact(key === undefined ? [] : [key.reveal()])

/** Replaces the body of an error by an empty one, if it is too large or cannot be decoded. Any other failure stays a failure. */
const keepStatus = (
  transportFailure: TransportFailure,
): E.Either<TransportFailure, UpstreamResponse> => {
  const { failure, head } = transportFailure
  return failure._tag === 'InvalidResponse' && head !== undefined && !isSuccess(head)
    ? E.right({ status: head.status, header: head.header, body: new Uint8Array() })
    : E.left(transportFailure)
}

/** Turns a failed call into a problem. The log names the host, the caller's message does not. */
const createTransportProblem = (failure: Failure): Problem => {
  if (failure._tag === 'Connection') {
    const logged = describeConnectionCause(failure)
    return failure.timeout === undefined
      ? engineFailed(`The upstream service failed: ${failure.cause}.`, logged)
      : engineTooSlow('The upstream service did not answer in time.', logged)
  }
  const cause = failure._tag === 'InvalidResponse' ? failure.cause : messageWithoutProvider(failure)
  return engineFailed(`The upstream service failed: ${cause}.`)
}

/** The response headers that are passed on. The request id is passed on in a header of its own. */
const passedHeaders = ['content-type', 'retry-after', 'retry-after-ms']

/** The maximum length of a request id that is passed on, in characters. The caller's HTTP library may refuse a longer header. */
const maxIdLength = 1024

/**
 * Selects the parts of a response that callers may see. Fails for a redirect, a refused key and an invalid response. A response with
 * status 502, 503 or 504 is passed on with a `cause`, which makes the service unready.
 */
const selectPassedParts = (
  response: UpstreamResponse,
  redact: Redact,
  { keyVariable, requestIdHeader }: UpstreamOptions,
): E.Either<Problem, PassthroughResponse> => {
  const { status } = response
  const isFinalStatus = status >= 200 && status <= 599
  const isRedirect = status >= 300 && status <= 399
  if (!isFinalStatus || isRedirect)
    return E.left(engineFailed(`The upstream service answered with status ${status}.`))
  if (status === 401 || status === 403) return E.left(keyRefused(status, keyVariable))
  const body = isSuccess(response) ? response.body : redactBytes(redact, response.body)
  const document = isSuccess(response) ? parseJson(body, maxContainers) : undefined
  if (document !== undefined && E.isLeft(document)) {
    const { message } = document.left
    return E.left(engineFailed(`The upstream service answered with no JSON document: ${message}.`))
  }
  const getHeader = (name: string): string => redact(response.header(name) ?? '')
  const redactedHeaders = passedHeaders.map((name) => [name, getHeader(name)] as const)
  const id = findRequestId(getHeader, requestIdHeader, body)
  if (id.length <= maxIdLength) redactedHeaders.push(['x-service-request-id', id])
  const headers = redactedHeaders.filter(([, value]) => value !== '')
  const isUnavailable = status === 502 || status === 503 || status === 504
  return isUnavailable
    ? E.right({ status, headers, body, cause: `it answered with status ${status}` })
    : E.right({ status, headers, body })
}

/**
 * Finds the request id in the headers or the body. Returns `''` if there is none. `requestIdHeader` is the header of the upstream
 * service's dialect, or `''` if the dialect has none. It overrides the usual headers.
 */
const findRequestId = (
  getHeader: (name: string) => string,
  requestIdHeader: string,
  body: Uint8Array,
): string => {
  for (const name of [requestIdHeader, 'x-service-request-id', 'x-typesafe-request-id']) {
    const id = name === '' ? '' : getHeader(name)
    if (id !== '') return id
  }
  // The first argument is the id in the headers: there is none.
  return readRequestId('', body)
}

/**
 * Redacts the engine's key in the body of an error, which may repeat it. The body of an answer is not redacted, because a label
 * could equal a short key by chance.
 */
const redactBytes = (redact: Redact, body: Uint8Array): Uint8Array => {
  // Latin-1 has one character per byte, so bytes that are not UTF-8 stay unchanged.
  return Buffer.from(redact(bufferOf(body).toString('latin1')), 'latin1')
}

/** 502: the upstream service refused the key in the environment variable `keyVariable`. */
export const keyRefused = (status: number, keyVariable: string): Problem =>
  engineRefusedKey(
    `The upstream service refused the API key of this one (${keyVariable}).`,
    `the key of ${keyVariable} was refused with status ${status}`,
  )
