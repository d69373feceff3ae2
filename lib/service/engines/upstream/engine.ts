import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import { requestHeaders } from '../../../client/headers'
import { isSuccess, type Loss, type Reply, send } from '../../../client/send'
import { requestIdOfBody } from '../../../codec/response'
import { servedDialects } from '../../../dialect/serve'
import type { Failure } from '../../../failure/failure'
import { mapTexts } from '../../../failure/map-texts'
import { describeCause, plainMessageOf } from '../../../failure/message'
import { largestDocument, parseJson } from '../../../json/parse'
import type { Fetch, Runtime } from '../../../runtime/runtime'
import { noSpan, noTracer, type Tracer } from '../../../telemetry/trace'
import type { Duration } from '../../../text/duration'
import { createRedact, type Redact } from '../../../text/redact'
import type { Secret } from '../../../text/secret'
import type { EngineContext, Passed, Passing, PassingEngine } from '../../contract/engine'
import {
  engineFailed,
  engineRefusedKey,
  engineTooSlow,
  noRoom,
  type Problem,
} from '../../contract/problem'
import { type Addresses, setModel, upstreamAddresses } from './request'
import { takeOutKey } from './without-key'

/** The settings of the `upstream` engine. */
export interface UpstreamOptions {
  /** The upstream's base address, or the whole address of its ask operation (`…/v1/systemone`). */
  readonly url: string
  readonly apiKey: Secret
  /** The model for requests that name none, or an alias. D73 */
  readonly model: string | undefined
  /** The time limit of one request; 0 for none. */
  readonly timeout: Duration
  readonly userAgent: string
}

/** What the engine uses of the program. */
interface Outside {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  readonly tracer: Tracer
}

/** The response headers that are passed on, besides the request id. */
const passedHeaders = ['content-type', 'retry-after', 'retry-after-ms']

/**
 * The longest request id that is passed on, in characters. A longer one could exceed the header limit of the
 * caller's HTTP library.
 */
const longestId = 1024

/**
 * The engine that forwards requests to another typed-questions service and passes its responses back, including
 * unknown question types, failures and requested waits. It redacts the service's own key in the responses, and
 * reports a refusal of that key as its own failure. It does not retry, since its callers do. D3, D39
 */
export const upstreamEngine = (
  options: UpstreamOptions,
  outside: Outside,
): E.Either<Failure, PassingEngine> =>
  pipe(
    upstreamAddresses(options.url),
    E.map((addresses) => ({
      kind: 'passing',
      name: 'upstream',
      pass: (request, context) => () => forward(addresses, options, outside, request, context),
      ping: (signal) => () => pingUpstream(addresses, options, outside, signal),
      close: async () => undefined,
    })),
  )

/** Checks that the upstream service returns its list of models. D78 */
const pingUpstream = async (
  addresses: Addresses,
  options: UpstreamOptions,
  outside: Outside,
  signal: AbortSignal,
): Promise<E.Either<Problem, Passed>> => {
  const [dialect] = servedDialects
  const request = { operation: 'models', dialect, body: new Uint8Array(), prefix: '' } as const
  const untraced = { ...outside, tracer: noTracer }
  const context: EngineContext = { signal, span: noSpan, compute: TE.fromIO, hold: () => true }
  return pipe(
    await forward(addresses, options, untraced, request, context),
    E.filterOrElse(
      ({ cause }) => cause === undefined,
      ({ cause = '' }) => engineFailed(cause),
    ),
  )
}

/** Makes a call whose body is counted by `hold` while it is read, and cut where there is no room for more of it. D80 */
const countBody = (fetch: Fetch, hold: EngineContext['hold']) => {
  let over = false
  async function* countChunks(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      over = !hold(chunk.length)
      if (over) return
      yield chunk
    }
  }
  const counting: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    return { ...response, body: countChunks(response.body) }
  }
  return { fetch: counting, isOver: () => over }
}

const forward = async (
  addresses: Addresses,
  options: UpstreamOptions,
  { runtime, tracer }: Outside,
  request: Passing,
  context: EngineContext,
): Promise<E.Either<Problem, Passed>> => {
  const asking = request.operation === 'ask'
  const { model } = options
  const document =
    asking && model !== undefined
      ? await context.compute(() => setModel(request.body, model))()
      : E.right(request.body)
  if (E.isLeft(document)) return document
  const url = asking ? addresses.ask : addresses.models
  const method = asking ? 'POST' : 'GET'
  const span = tracer.start(method, {
    parent: context.span,
    client: true,
    attributes: { 'http.request.method': method, 'url.full': url },
  })
  const keyHolder = { key: options.apiKey, keyHeader: 'Authorization' } as const
  const headers = {
    ...requestHeaders(keyHolder, options.userAgent, asking),
    ...span.headers(),
  }
  const body = asking ? document.right : undefined
  const counted = countBody(runtime.fetch, context.hold)
  const limits = {
    runtime: { ...runtime, fetch: counted.fetch },
    timeout: options.timeout,
    signal: context.signal,
  }
  const redact = createRedact([options.apiKey.reveal()])
  const sent = await send({ method, url, headers, body, keepAlive: true, mostBytes }, limits)()
  const received = pipe(
    sent,
    E.orElse(
      (loss): E.Either<Failure, PlainReply> => E.fromNullable(loss.failure)(replyByStatus(loss)),
    ),
  )
  if (counted.isOver()) {
    span.end({ kind: 'overloaded', message: 'no room for the answer' })
    return E.left(noRoom)
  }
  if (E.isLeft(received)) {
    span.end({ kind: 'connection', message: 'no complete answer' })
    return E.left(describeFailure(mapTexts(received.left, redact)))
  }
  const reply = received.right
  span.set({ 'http.response.status_code': reply.status })
  span.end()
  const clean = await takeOutKey(redact, reply.status, reply.body, request.body)
  return clean === undefined
    ? E.left(engineFailed("The upstream service repeated this service's key."))
    : passOn({ ...reply, body: clean }, redact)
}

/** A failure is passed on by its status alone where its body is longer than this. D49 */
const mostBytes = { answer: largestDocument, failure: 64 << 10 }

/** What a failure whose body is too long or cannot be decoded says by its status alone; `undefined` for other losses. */
const replyByStatus = ({ failure, head }: Loss): PlainReply | undefined =>
  failure._tag === 'InvalidResponse' && head !== undefined && !isSuccess(head)
    ? { status: head.status, header: head.header, body: new Uint8Array() }
    : undefined

type PlainReply = Pick<Reply, 'status' | 'header' | 'body'>

/**
 * Turns a failed exchange into a problem. The operator's log names the host, the caller's message does
 * not.
 */
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
): E.Either<Problem, Passed> => {
  if (status < 200 || status > 599 || (status >= 300 && status <= 399)) {
    return E.left(engineFailed(`The upstream service answered with status ${status}.`))
  }
  if (status === 401 || status === 403) {
    const cause = `the key of SERVICE_ENGINE_API_KEY was refused with status ${status}`
    return E.left(
      engineRefusedKey(
        'The upstream service refused the API key of this one (SERVICE_ENGINE_API_KEY).',
        cause,
      ),
    )
  }
  if (status <= 299 && E.isLeft(parseJson(body))) {
    return E.left(engineFailed('The upstream service answered with no JSON document.'))
  }
  const header = (name: string): string => redact(headerOf(name) ?? '')
  const inHeader = header('x-service-request-id') || header('x-typesafe-request-id')
  const id = requestIdOfBody(inHeader, body)
  const headers = [
    ...passedHeaders.map((name) => [name, header(name)] as const),
    ['x-service-request-id', id.length > longestId ? '' : id] as const,
  ].filter(([, value]) => value !== '')
  const away = status === 502 || status === 503 || status === 504
  const cause = away ? { cause: `it answered with status ${status}` } : {}
  return E.right({ status, headers, body, ...cause })
}
