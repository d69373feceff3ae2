import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { ReaderTaskEither } from 'fp-ts/ReaderTaskEither'
import * as TE from 'fp-ts/TaskEither'
import { decodeModels, type Models } from '../codec/models'
import { type AskRequest, checkRequest, encodeRequest } from '../codec/request'
import { type AskResponse, decodeResponse } from '../codec/response'
import { type Draft, encode } from '../json/draft'
import { numberOf } from '../json/json'
import type { Attributes } from '../telemetry/trace'
import { redactAndCut } from '../text/cut'
import type { Miss, Received } from './attempt'
import { call } from './call'
import type { ClientConfig, ClientEnv } from './env'
import { requestHeaders } from './headers'
import { redactOf } from './redact'

/** The path of the ask operation below the base address. spec: HTTP API */
export const askPath = '/v1/questions'

/** The path of the model list below the base address. D2 */
export const modelsPath = '/v1/models'

/** The model of a request: the one given for the call, otherwise the configured one. D47 */
const modelOf = (config: ClientConfig, model: string | undefined): string => model || config.model

/** The body of an ask request. It always names a model. D47 */
export const askBody = (config: ClientConfig, request: AskRequest, model?: string): Draft =>
  encodeRequest(request, modelOf(config, model))

/**
 * Checks a request, sends it and decodes the response. `model` overrides the configured model for this call. An
 * invalid request fails with a validation error before anything is sent. spec: `svc ask`, Limits
 */
export const ask =
  (request: AskRequest, model?: string): ReaderTaskEither<ClientEnv, Miss, Received<AskResponse>> =>
  (env) =>
    pipe(
      TE.fromEither(checkRequest(request)),
      TE.mapLeft((failure): Miss => ({ failure, facts: {} })),
      TE.chain(() => askChecked(request, model)(env)),
    )

/** Sends a request whose questions have been checked, and decodes the response. */
export const askChecked =
  (request: AskRequest, model?: string): ReaderTaskEither<ClientEnv, Miss, Received<AskResponse>> =>
  (env) => {
    const { config, userAgent } = env
    // Answers keep their text (D7); model and request id are redacted and cut. D52, D59
    const prepare = redactAndCut(redactOf(config))
    return call({
      name: 'svc.ask',
      exchange: {
        method: 'POST',
        path: askPath,
        url: config.baseUrl + askPath,
        headers: requestHeaders(config, userAgent, true),
        body: encode(askBody(config, request, model)),
        decode: (bytes, id) =>
          pipe(
            decodeResponse(bytes, id),
            E.map((answer) => ({
              ...answer,
              model: prepare(answer.model),
              requestId: prepare(answer.requestId),
            })),
          ),
      },
      attributes: {
        'gen_ai.operation.name': 'ask',
        'gen_ai.request.model': modelOf(config, model),
        ...questionCounts(request),
      },
      describeResponse: responseAttributes,
    })(env)
  }

/** Lists the models of the account. D2 */
export const listModels: ReaderTaskEither<ClientEnv, Miss, Received<Models>> = (env) => {
  const { config, userAgent } = env
  const prepare = redactAndCut(redactOf(config))
  return call({
    name: 'svc.models',
    exchange: {
      method: 'GET',
      path: modelsPath,
      url: config.baseUrl + modelsPath,
      headers: requestHeaders(config, userAgent, false),
      decode: (bytes, id) =>
        pipe(
          decodeModels(bytes, id),
          E.map((list) => ({ ...list, requestId: prepare(list.requestId) })),
        ),
    },
    attributes: { 'gen_ai.operation.name': 'models' },
    describeResponse: ({ requestId }) => ({ 'svc.request_id': requestId || undefined }),
  })(env)
}

/** Counts the questions, in total and per type, for the span. D33 */
const questionCounts = ({ questions }: AskRequest): Attributes => {
  const count = (type: string) => questions.filter(([, question]) => question.type === type).length
  return {
    'svc.questions.count': questions.length,
    'svc.questions.noul': count('noul'),
    'svc.questions.choice': count('choice'),
    'svc.questions.score': count('score'),
    'svc.questions.other': count('other'),
  }
}

const responseAttributes = ({ model, usage, requestId }: AskResponse): Attributes => ({
  'gen_ai.response.model': model,
  'gen_ai.usage.input_tokens':
    usage.input_tokens === null ? undefined : numberOf(usage.input_tokens),
  'gen_ai.usage.output_tokens':
    usage.output_tokens === null ? undefined : numberOf(usage.output_tokens),
  'svc.request_id': requestId || undefined,
})
