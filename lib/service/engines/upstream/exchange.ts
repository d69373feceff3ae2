import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type * as TE from 'fp-ts/TaskEither'
import { requestHeaders } from '../../../client/call/headers'
import {
  type HttpResponse,
  isSuccess,
  send,
  type TransportFailure,
} from '../../../client/call/send'
import { maxDocumentBytes, parseJson } from '../../../codec/json/parse'
import { readRequestId } from '../../../codec/response'
import type { Failure } from '../../../failure/failure'
import { mapTexts } from '../../../failure/map-texts'
import { describeCause, plainMessageOf } from '../../../failure/message'
import type { Duration } from '../../../failure/text/duration'
import { createRedact, type Redact } from '../../../failure/text/redact'
import type { Runtime } from '../../../runtime/runtime'
import type { Tracer } from '../../../runtime/tracer'
import type { EngineContext, PassingResponse } from '../../contract/engine'
import { engineFailed, engineRefusedKey, engineTooSlow, type Problem } from '../../contract/problem'
import type { UpstreamPlace } from './place'
import { takeOutKey } from './without-key'

/** The settings of the `upstream` engine. `model` is for requests that name none, or an alias. */
export interface UpstreamOptions extends UpstreamPlace {
  /** The time limit of one request; 0 means no limit. */
  readonly timeout: Duration
  readonly userAgent: string
}

/** The parts of the program that the engine uses. */
export interface UpstreamOutside {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  readonly tracer: Tracer
}

/** A body to send, with the headers that belong to it; without a body the models are asked for. */
export interface UpstreamRequest {
  readonly body: Uint8Array | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** The response headers that are passed on, besides the request id. */
const passedHeaders = ['content-type', 'retry-after', 'retry-after-ms']

/** Longer request ids are not passed on, because they may be too much for the caller's HTTP library. */
const maxIdLength = 1024

/**
 * Sends a body to the upstream service and reads the response. Without a body it asks for the list of models. The
 * service's own key is redacted in the response, and a refusal of that key is a failure of the engine.
 */
export const exchange =
  (
    options: UpstreamOptions,
    { runtime, tracer }: UpstreamOutside,
    { body, headers: own = {} }: UpstreamRequest,
    context: EngineContext,
  ): TE.TaskEither<Problem, PassingResponse> =>
  async () => {
    const asking = body !== undefined
    const { url } = asking ? options.ask : options.models
    const method = asking ? 'POST' : 'GET'
    const span = tracer.start(method, {
      parent: context.span,
      client: true,
      attributes: { 'http.request.method': method, 'url.full': url },
    })
    const usual = requestHeaders(options, options.userAgent, asking)
    const headers = { ...usual, ...own, ...span.headers() }
    const limits = { runtime, timeout: options.timeout, signal: context.signal }
    const redact = createRedact(options.key === undefined ? [] : [options.key.reveal()])
    const sent = await send({ method, url, headers, body, keepAlive: true, maxBytes }, limits)
    const received = pipe(
      sent,
      E.orElse(
        (loss): E.Either<Failure, PlainReply> => E.fromNullable(loss.failure)(replyByStatus(loss)),
      ),
    )
    if (E.isLeft(received)) {
      span.end({ kind: 'connection', message: 'no complete answer' })
      return E.left(describeFailure(mapTexts(received.left, redact)))
    }
    const reply = received.right
    span.set({ 'http.response.status_code': reply.status })
    span.end()
    const clean = takeOutKey(redact, reply.status, reply.body)
    return passOn({ ...reply, body: clean }, redact, options)
  }

/** If the body of a failure is longer than this, only its status is passed on. */
const maxBytes = { answer: maxDocumentBytes, failure: 64 << 10 }

/**
 * Describes a failure by its status if its body is too long or cannot be decoded. `undefined` for a connection that
 * failed.
 */
const replyByStatus = ({ failure, head }: TransportFailure): PlainReply | undefined =>
  failure._tag === 'InvalidResponse' && head !== undefined && !isSuccess(head)
    ? { status: head.status, header: head.header, body: new Uint8Array() }
    : undefined

type PlainReply = Pick<HttpResponse, 'status' | 'header' | 'body'>

/** Turns a failed exchange into a problem. The operator's log names the host, the caller's message does not. */
const describeFailure = (failure: Failure): Problem => {
  if (failure._tag === 'Connection') {
    const logged = describeCause(failure)
    return failure.timeout === undefined
      ? engineFailed(`The upstream service failed: ${failure.cause}.`, logged)
      : engineTooSlow('The upstream service did not answer in time.', logged)
  }
  const cause = failure._tag === 'InvalidResponse' ? failure.cause : plainMessageOf(failure)
  return engineFailed(`The upstream service failed: ${cause}.`)
}

/** Passes a response on, or turns one that callers must not see into a problem. */
const passOn = (
  { status, header: headerOf, body }: PlainReply,
  redact: Redact,
  { keyName, requestIdHeader }: UpstreamOptions,
): E.Either<Problem, PassingResponse> => {
  if (status < 200 || status > 599 || (status >= 300 && status <= 399)) {
    return E.left(engineFailed(`The upstream service answered with status ${status}.`))
  }
  if (status === 401 || status === 403) return E.left(refuseKey(status, keyName))
  if (status <= 299 && E.isLeft(parseJson(body))) {
    return E.left(engineFailed('The upstream service answered with no JSON document.'))
  }
  const header = (name: string): string => redact(headerOf(name) ?? '')
  const own = requestIdHeader === '' ? '' : header(requestIdHeader)
  const inHeader = own || header('x-service-request-id') || header('x-typesafe-request-id')
  const id = readRequestId(inHeader, body)
  const headers = [
    ...passedHeaders.map((name) => [name, header(name)] as const),
    ['x-service-request-id', id.length > maxIdLength ? '' : id] as const,
  ].filter(([, value]) => value !== '')
  const away = status === 502 || status === 503 || status === 504
  const cause = away ? { cause: `it answered with status ${status}` } : {}
  return E.right({ status, headers, body, ...cause })
}

/** Creates the problem for an upstream service that refuses the key of the variable `keyName`. */
export const refuseKey = (status: number, keyName: string): Problem =>
  engineRefusedKey(
    `The upstream service refused the API key of this one (${keyName}).`,
    `the key of ${keyName} was refused with status ${status}`,
  )
