import { pipe } from 'fp-ts/function'
import * as TE from 'fp-ts/TaskEither'
import type { ServiceRequest } from '../../../client/call/attempt'
import { callService } from '../../../client/call/call'
import type { CallContext } from '../../../client/call/call-context'
import { requestHeaders } from '../../../client/call/headers'
import { maxDocumentBytes } from '../../../codec/json/parse'
import { createRedact } from '../../../failure/text/secret'
import type { Runtime } from '../../../runtime/runtime'
import type { Attributes, Span, Tracer } from '../../../runtime/tracer'
import type { TokenCompletion } from '../readout/answers'
import { decodeCompletion, decodeModelIds } from './completion'
import { decodeErrorName, type EngineCallFailure } from './failures'
import type { OpenaiOptions } from './options'
import { decodeErrorMessageWithLengths } from './too-long'

export interface ConnectionEnvironment {
  readonly runtime: Pick<Runtime, 'fetch' | 'clock' | 'random' | 'signal'>
  readonly tracer: Tracer
  /** `svc/<version>`. */
  readonly userAgent: string
}

/** Makes calls to the endpoint. Retries, timeouts and redaction are those of `lib/client`. */
export interface EngineConnection {
  readonly complete: (
    body: ReadonlyArray<Uint8Array>,
    origin: CallOrigin,
  ) => TE.TaskEither<EngineCallFailure, TokenCompletion>
  readonly models: (origin: CallOrigin) => TE.TaskEither<EngineCallFailure, ReadonlyArray<string>>
}

/** The request that causes a call: its signal cancels the call. Its span is the parent span; calls of the check have none. */
interface CallOrigin {
  readonly signal: AbortSignal
  readonly span?: Span
}

/** Creates the functions that make calls to the endpoint. It connects with the first call. */
export const connect = (
  options: OpenaiOptions,
  environment: ConnectionEnvironment,
): EngineConnection => {
  const baseUrl = addDefaultPath(options.url)
  const call = <A>(
    exchange: Exchange<A>,
    origin: CallOrigin,
  ): TE.TaskEither<EngineCallFailure, A> => {
    const { method, path, body, decode, attributes, describeResponse } = exchange
    let errorName = ''
    const request: ServiceRequest<A> = {
      method,
      path,
      url: baseUrl + path,
      headers: requestHeaders(
        { key: options.apiKey, keyHeader: 'Authorization' },
        environment.userAgent,
        body !== undefined,
      ),
      body,
      keepAlive: true,
      maxBodyBytes: { success: exchange.maxAnswerBytes, error: 64 << 10 },
      requestIdHeader: 'x-service-request-id',
      decode,
      decodeFailure: (response, redact) => {
        errorName = decodeErrorName(response.body, redact)
        return { message: decodeErrorMessageWithLengths(response.body, redact) }
      },
    }
    const describeRequest = () => ({ 'gen_ai.request.model': options.model, ...attributes })
    return pipe(
      callService<A>({ name: 'svc.engine', request, describeRequest, describeResponse })(
        createCallContext(options, environment, origin),
      ),
      TE.bimap(
        (failure): EngineCallFailure => ({ ...failure, errorName }),
        ({ value }) => value,
      ),
    )
  }
  return {
    complete: (body, origin) => call({ ...completionExchange, body }, origin),
    models: (origin) => call(modelsExchange, origin),
  }
}

/** A request to the endpoint, the decoding of its response, and the attributes of its span. */
interface Exchange<A> extends Pick<ServiceRequest<A>, 'method' | 'path' | 'body' | 'decode'> {
  readonly maxAnswerBytes: number
  readonly attributes: Attributes
  readonly describeResponse: (value: A) => Attributes
}

const completionExchange: Exchange<TokenCompletion> = {
  method: 'POST',
  path: '/chat/completions',
  decode: decodeCompletion,
  maxAnswerBytes: 1 << 20,
  attributes: { 'gen_ai.operation.name': 'chat' },
  describeResponse: ({ input, output }) => ({
    'gen_ai.usage.input_tokens': input ?? undefined,
    'gen_ai.usage.output_tokens': output ?? undefined,
  }),
}

const modelsExchange: Exchange<ReadonlyArray<string>> = {
  method: 'GET',
  path: '/models',
  decode: decodeModelIds,
  maxAnswerBytes: maxDocumentBytes,
  attributes: {},
  describeResponse: () => ({}),
}

/** Adds the usual path `/v1` to a base address without a path. */
const addDefaultPath = (url: string): string => (new URL(url).pathname === '/' ? `${url}/v1` : url)

const createCallContext = (
  options: OpenaiOptions,
  environment: ConnectionEnvironment,
  { signal, span }: CallOrigin,
): CallContext => ({
  ...environment,
  redact: createRedact(options.apiKey === undefined ? [] : [options.apiKey.reveal()]),
  timeout: options.timeout,
  maxRetries: options.maxRetries,
  signal,
  ...(span === undefined ? {} : { parent: span }),
})
