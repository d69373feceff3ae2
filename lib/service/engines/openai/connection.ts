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
  const send = <A>(
    exchange: Pick<ServiceRequest<A>, 'method' | 'path' | 'body' | 'decode'>,
    origin: CallOrigin,
    attributes: Attributes,
    describeResponse: (value: A) => Attributes,
  ): TE.TaskEither<EngineCallFailure, A> => {
    let errorName = ''
    const readFailure: ServiceRequest<A>['decodeFailure'] = ({ body }, redact) => {
      errorName = decodeErrorName(body, redact)
      return { message: decodeErrorMessageWithLengths(body, redact) }
    }
    return pipe(
      callService<A>({
        name: 'svc.engine',
        request: {
          ...exchange,
          keepAlive: true,
          maxBodyBytes: {
            success: exchange.body === undefined ? maxDocumentBytes : 1 << 20,
            error: 64 << 10,
          },
          requestIdHeader: 'x-service-request-id',
          decodeFailure: readFailure,
          url: baseUrl + exchange.path,
          headers: requestHeaders(
            { key: options.apiKey, keyHeader: 'Authorization' },
            environment.userAgent,
            exchange.body !== undefined,
          ),
        },
        describeRequest: () => ({ 'gen_ai.request.model': options.model, ...attributes }),
        describeResponse,
      })(createCallContext(options, environment, origin)),
      TE.bimap(
        (failure): EngineCallFailure => ({ ...failure, errorName }),
        ({ value }) => value,
      ),
    )
  }
  return {
    complete: (body, origin) =>
      send(
        { method: 'POST', path: '/chat/completions', body, decode: decodeCompletion },
        origin,
        { 'gen_ai.operation.name': 'chat' },
        ({ input, output }) => ({
          'gen_ai.usage.input_tokens': input ?? undefined,
          'gen_ai.usage.output_tokens': output ?? undefined,
        }),
      ),
    models: (origin) =>
      send({ method: 'GET', path: '/models', decode: decodeModelIds }, origin, {}, () => ({})),
  }
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
