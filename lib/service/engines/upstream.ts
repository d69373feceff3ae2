import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { parseBaseUrl } from '../../client/base-url'
import { requestHeaders } from '../../client/headers'
import { redactOf } from '../../client/redact'
import { type Reply, send } from '../../client/send'
import { type Failure, usage } from '../../failure/failure'
import { mapTexts } from '../../failure/map-texts'
import { causeAndHost, plainMessage } from '../../failure/message'
import { Entries, encode } from '../../json/draft'
import { kindOf, members, stringOf } from '../../json/json'
import { parseJson } from '../../json/parse'
import type { Duration } from '../../runtime/duration'
import type { Runtime } from '../../runtime/runtime'
import type { Secret } from '../../runtime/secret'
import type { Tracer } from '../../runtime/trace'
import type { Redact } from '../../text/redact'
import {
  badAnswer,
  type EngineContext,
  type EngineFailure,
  keyRefused,
  type Passed,
  type Passing,
  type PassingEngine,
  timedOut,
} from './engine'
import { latestModel } from './models'

/** How the upstream service is reached. */
export interface UpstreamOptions {
  /** Base address, or the whole address of its ask operation (`…/v1/systemone`). */
  readonly url: string
  readonly apiKey: Secret
  /** Asked for where a request names no model or `svc-latest`. */
  readonly model: string | undefined
  /** For one request; 0 for no limit. */
  readonly timeout: Duration
  readonly userAgent: string
}

/** What the engine needs of the outside world. */
export interface Outside {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock'>
  readonly tracer: Tracer
}

/** Headers of an answer that mean something to the caller. */
const passedHeaders = [
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-service-request-id',
  'x-typesafe-request-id',
]

/** The two addresses of an upstream service, its dialect told by the path. D39, D42 */
export const upstreamAddresses = (
  url: string,
): E.Either<Failure, { readonly ask: string; readonly models: string }> =>
  pipe(
    parseBaseUrl(url),
    E.mapLeft((why) => usage(`invalid --engine-url ${why}`)),
    E.map((base) => {
      const whole = /^(.*)\/v1\/(?:questions|systemone)$/.exec(base)
      const root = whole?.[1] ?? base.replace(/\/v1$/, '')
      return {
        ask: whole === null ? `${root}/v1/questions` : base,
        models: `${root}/v1/models`,
      }
    }),
  )

/**
 * Forwards requests as they are to another typed-questions service, and its answers back: unknown
 * question types, failures and waits included; only its own key is taken out, and a refusal of that key
 * is a failure of the engine. It does not retry: its callers do. D3, D39
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
      close: async () => undefined,
    })),
  )

const forward = async (
  addresses: { readonly ask: string; readonly models: string },
  options: UpstreamOptions,
  { runtime, tracer }: Outside,
  request: Passing,
  context: EngineContext,
): Promise<E.Either<EngineFailure, Passed>> => {
  const asking = request.operation === 'ask'
  const url = asking ? addresses.ask : addresses.models
  const method = asking ? 'POST' : 'GET'
  const span = tracer.start(method, {
    parent: context.span,
    client: true,
    attributes: { 'http.request.method': method, 'url.full': url },
  })
  const headers = {
    ...requestHeaders(options, options.userAgent, asking),
    ...span.headers(),
  }
  const body = asking ? withModel(request.body, options.model) : undefined
  const limits = { runtime, timeout: options.timeout, signal: context.signal }
  const redact = redactOf(options)
  const sent = await send({ method, url, headers, body }, limits)()
  if (E.isLeft(sent)) {
    span.end({ kind: 'connection', message: 'no complete answer' })
    return E.left(failed(mapTexts(sent.left.failure, redact), context))
  }
  const reply = sent.right
  span.set({ 'http.response.status_code': reply.status })
  span.end()
  const clean = without(redact, reply.body, reply.status, request.body)
  return passedOn({ ...reply, body: clean }, redact, context)
}

/** The operator's log has the host; what the caller is told has not. */
const failed = (failure: Failure, context: EngineContext): EngineFailure => {
  const isConnection = failure._tag === 'Connection'
  if (isConnection && failure.timeout !== undefined)
    return timedOut('The upstream service did not answer in time.')
  const cause =
    isConnection || failure._tag === 'InvalidResponse' ? failure.cause : plainMessage(failure)
  const logged = isConnection ? causeAndHost(failure) : cause
  context.log('upstream failed', { request_id: context.requestId, cause: logged })
  return badAnswer(`The upstream service failed: ${cause}.`)
}

const passedOn = (
  { status, header: headerOf, body }: Reply,
  redact: Redact,
  context: EngineContext,
): E.Either<EngineFailure, Passed> => {
  if (status < 200 || (status >= 300 && status <= 399)) {
    return E.left(badAnswer(`The upstream service answered with status ${status}.`))
  }
  if (status === 401 || status === 403) {
    context.log('upstream refused the key', { request_id: context.requestId, status })
    return E.left(
      keyRefused('The upstream service refused the API key of this one (SERVICE_ENGINE_API_KEY).'),
    )
  }
  if (status <= 299 && E.isLeft(parseJson(body))) {
    return E.left(badAnswer('The upstream service answered with no JSON document.'))
  }
  const header = (name: string): string | undefined => {
    const value = headerOf(name)
    return value === null ? undefined : redact(value)
  }
  const headers = passedHeaders.flatMap((name) => {
    const value = header(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const id = header('x-service-request-id') ?? header('x-typesafe-request-id')
  const both: typeof headers =
    id === undefined ? headers : [...headers, ['x-service-request-id', id]]
  return E.right({ status, headers: both, body })
}

/**
 * The body with the key gone, else byte for byte the same. An answer to a request that has the same text
 * keeps it: a label may be spelled like a simple key, and the caller learns nothing. D3
 */
const without = (
  redact: Redact,
  body: Uint8Array,
  status: number,
  request: Uint8Array,
): Uint8Array => {
  const text = latin1(body)
  const clean = redact(text)
  if (clean === text) return body
  const asked = latin1(request)
  const said = status >= 200 && status <= 299 && redact(asked) !== asked
  return said ? body : Buffer.from(clean, 'latin1')
}

/** One character for each byte, so that every body survives the way there and back. */
const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** The document with the upstream's own model for the latest; every other literal stays. D7 */
const withModel = (body: Uint8Array, model: string | undefined): Uint8Array => {
  if (model === undefined) return body
  const document = parseJson(body)
  if (E.isLeft(document) || kindOf(document.right) !== 'object') return body
  const list = members(document.right)
  const given = list.find(({ key }) => key === 'model')?.value
  const latest =
    given !== undefined && kindOf(given) === 'string' && stringOf(given) === latestModel
  if (given !== undefined && !latest) return body
  const rest = list.filter(({ key }) => key !== 'model').map((m) => [m.name, m.value] as const)
  return encode(new Entries([['model', model], ...rest]))
}
