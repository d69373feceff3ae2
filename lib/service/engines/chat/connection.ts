import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { AttemptFailure, ServiceRequest } from '../../../client/call/attempt'
import { callService, type ServiceCall } from '../../../client/call/call'
import type { CallContext } from '../../../client/call/call-context'
import { createRequestHeaders } from '../../../client/call/encode-call'
import { maxDocumentBytes } from '../../../codec/json/parse'
import type { Runtime } from '../../../runtime/runtime'
import type { Attributes, Span, Tracer } from '../../../runtime/tracer'
import { createRedact } from '../../../text/secret'
import type { TokenCompletion } from '../readout/answers'
import { decodeCompletion, decodeModelIds } from './completion'
import { decodeErrorNames } from './failures'
import type { ChatOptions } from './options'
import { decodeMessageAndTokenCounts } from './too-long'

export interface ConnectionEnvironment {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random' | 'signal'>
  readonly tracer: Tracer
  /** `svc/<version>`. */
  readonly userAgent: string
}

/** Makes calls to the endpoint. Retries, timeouts and redaction are those of `lib/client`. */
export interface EngineConnection {
  /** Requests a chat completion. `body` is the encoded request body, in chunks. */
  readonly complete: (
    body: ReadonlyArray<Uint8Array>,
    origin: CallOrigin,
  ) => TE.TaskEither<AttemptFailure, TokenCompletion>
  /** Requests the ids of the endpoint's models. */
  readonly listModels: (origin: CallOrigin) => TE.TaskEither<AttemptFailure, ReadonlyArray<string>>
}

/** The reason for a call to the endpoint: a request to svc, or the check of the endpoint when svc starts. */
interface CallOrigin {
  /** Cancels the call. */
  readonly signal: AbortSignal
  /** The span of the request to svc. It is the parent of the call's span. The check of the endpoint has none. */
  readonly span?: Span
}

/** Creates the functions that make calls to the endpoint. */
export const createConnection = (
  options: ChatOptions,
  environment: ConnectionEnvironment,
): EngineConnection => {
  const baseUrl = addDefaultPath(options.url)
  const call = <A>(exchange: Exchange<A>, origin: CallOrigin): TE.TaskEither<AttemptFailure, A> => {
    const { method, path, body, decode, maxSuccessBytes, attributes, describeResponse } = exchange
    const request: ServiceRequest<A> = {
      method,
      path,
      url: baseUrl + path,
      headers: createRequestHeaders(
        { key: options.apiKey, keyHeader: 'Authorization' },
        { userAgent: environment.userAgent, hasBody: body !== undefined },
      ),
      body,
      keepAlive: true,
      maxBodyBytes: { success: maxSuccessBytes, error: maxErrorBytes },
      requestIdHeader: 'x-service-request-id',
      decode,
      decodeFailure: (response, redact) => ({
        message: decodeMessageAndTokenCounts(response.body, redact),
        errorNames: decodeErrorNames(response.body, redact),
      }),
    }
    const serviceCall: ServiceCall<A> = {
      name: 'svc.engine',
      request,
      createRequestAttributes: () => ({ 'gen_ai.request.model': options.model, ...attributes }),
      createResponseAttributes: describeResponse,
    }
    const context = createCallContext(options, environment, origin)
    return pipe(
      () => callService(serviceCall, context),
      TE.map(({ value }) => value),
    )
  }
  return {
    complete: (body, origin) => call(createCompletionExchange(body), origin),
    listModels: (origin) => call(modelsExchange, origin),
  }
}

/** The maximum size of an error response. A longer one is reported by its status only. */
const maxErrorBytes = 64 << 10

/** The maximum size of a chat completion. One token with 20 alternatives takes a few KiB. */
const maxCompletionBytes = 1 << 20

/** A request to the endpoint, the decoder of its response, and the attributes of its span. */
interface Exchange<A> extends Pick<ServiceRequest<A>, 'method' | 'path' | 'body' | 'decode'> {
  readonly maxSuccessBytes: number
  /** The attributes of the call's span, besides the model. */
  readonly attributes: Attributes
  /** Returns the span's attributes for the decoded response. */
  readonly describeResponse: (value: A) => Attributes
}

const createCompletionExchange = (body: ReadonlyArray<Uint8Array>): Exchange<TokenCompletion> => ({
  method: 'POST',
  path: '/chat/completions',
  body,
  decode: decodeCompletion,
  maxSuccessBytes: maxCompletionBytes,
  attributes: { 'gen_ai.operation.name': 'chat' },
  describeResponse: ({ inputTokens, outputTokens }) => ({
    'gen_ai.usage.input_tokens': inputTokens ?? undefined,
    'gen_ai.usage.output_tokens': outputTokens ?? undefined,
  }),
})

const modelsExchange: Exchange<ReadonlyArray<string>> = {
  method: 'GET',
  path: '/models',
  decode: decodeModelIds,
  maxSuccessBytes: maxDocumentBytes,
  attributes: {},
  describeResponse: () => ({}),
}

/** Adds the usual path `/v1` to a base address without a path. `url` has no slash at its end. */
const addDefaultPath = (url: string): string => (new URL(url).pathname === '/' ? `${url}/v1` : url)

const createCallContext = (
  options: ChatOptions,
  environment: ConnectionEnvironment,
  { signal, span }: CallOrigin,
): CallContext => ({
  ...environment,
  redact: createRedact(options.apiKey === undefined ? [] : [options.apiKey.reveal()]),
  timeout: options.timeout,
  maxRetries: options.maxRetries,
  signal,
  parent: span,
})
