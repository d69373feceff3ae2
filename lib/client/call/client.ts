import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { ReaderTaskEither } from 'fp-ts/ReaderTaskEither'
import type { TaskEither } from 'fp-ts/TaskEither'
import { type Draft, encodeText } from '../../codec/json/draft'
import { numberOf } from '../../codec/json/json'
import type { Models } from '../../codec/models'
import { type AskRequest, checkRequest } from '../../codec/request'
import type { AskResponse } from '../../codec/response'
import { type Failure, nameProvider, usage } from '../../failure/failure'
import { redactAndCut } from '../../failure/text/cut'
import type { Attributes } from '../../runtime/tracer'
import type { ModelRequest } from '../dialects/dialect'
import type { Destination } from '../providers/destination'
import type { ServiceResponse } from './attempt'
import { type CallFailure, callService } from './call'
import type { ServiceClient } from './call-context'
import { imageHeaders } from './headers'
import { encodeForService } from './write-request'

/**
 * Chooses the model of a request: the one given for the call, otherwise that of the place. Fails with a usage
 * error that says how to name one, where there is none.
 */
export const chooseModel = (
  { service, model: usual, modelHint }: Destination,
  model: string | undefined,
): E.Either<Failure, string> => {
  const chosen = model || usual
  return chosen === undefined
    ? E.left(usage(`${service} has no default model: ${modelHint}`))
    : E.right(chosen)
}

/** A request that can be sent, and its body. */
interface Written {
  readonly asked: ModelRequest
  readonly body: Draft
}

/**
 * Writes the body of a request whose questions have been checked. It always names a model. Fails with a usage
 * error without one, and with a validation error for what the service cannot be asked.
 */
export const encodeAsk = (
  destination: Destination,
  request: AskRequest,
  model?: string,
): E.Either<Failure, Written> => {
  const chosen = chooseModel(destination, model)
  if (E.isLeft(chosen)) return chosen
  const asked: ModelRequest = { request, model: chosen.right, service: destination.service }
  const body = encodeForService(destination, asked)
  return E.isLeft(body) ? body : E.right({ asked, body: body.right })
}

/** A call that fails before anything is sent. */
const failUnsent =
  (destination: Destination, failure: Failure): TaskEither<CallFailure, never> =>
  async () =>
    E.left({ failure: nameProvider(failure, destination.provider), info: {}, attempts: 0 })

/**
 * Checks a request, sends it and decodes the response. `model` overrides the model of the place for this call.
 * An invalid request fails with a validation error before anything is sent.
 */
export const checkAndAsk =
  (
    request: AskRequest,
    model?: string,
  ): ReaderTaskEither<ServiceClient, CallFailure, ServiceResponse<AskResponse>> =>
  (env) => {
    const checked = checkRequest(request)
    return E.isLeft(checked)
      ? failUnsent(env.destination, checked.left)
      : askChecked(request, model)(env)
  }

/** Sends a request whose questions have been checked, and decodes the response. Fails as `writeAsk` does. */
export const askChecked =
  (
    request: AskRequest,
    model?: string,
  ): ReaderTaskEither<ServiceClient, CallFailure, ServiceResponse<AskResponse>> =>
  (env) => {
    const { destination, redact } = env
    const { dialect, requestIdHeader } = destination
    const written = encodeAsk(destination, request, model)
    if (E.isLeft(written)) return failUnsent(destination, written.left)
    const { asked, body } = written.right
    // Answers keep their text; model and request id are redacted and cut.
    const prepare = redactAndCut(redact)
    return callService({
      name: 'svc.ask',
      request: {
        method: 'POST',
        url: destination.ask.url,
        path: destination.ask.path,
        provider: destination.provider,
        requestIdHeader,
        headers: { ...env.headers(true), ...imageHeaders(destination, request) },
        body: encodeText(body),
        decode: (bytes, id) => {
          const response = dialect.decodeResponse(asked, { body: bytes, requestId: id, prepare })
          if (E.isLeft(response)) return response
          const { model, requestId } = response.right
          return E.right({
            ...response.right,
            model: prepare(model),
            requestId: prepare(requestId),
          })
        },
        decodeFailure: dialect.decodeFailure,
      },
      describeRequest: () => ({
        'gen_ai.operation.name': 'ask',
        'gen_ai.request.model': asked.model,
        ...countQuestions(request),
      }),
      describeResponse,
    })(env)
  }

/** Lists the models of the account. */
export const fetchModels: ReaderTaskEither<ServiceClient, CallFailure, ServiceResponse<Models>> = (
  env,
) => {
  const { destination } = env
  const prepare = redactAndCut(env.redact)
  return callService({
    name: 'svc.models',
    request: {
      method: 'GET',
      ...destination.models,
      provider: destination.provider,
      requestIdHeader: destination.requestIdHeader,
      headers: env.headers(false),
      decode: (bytes, id) =>
        pipe(
          destination.dialect.decodeModels(bytes, id),
          E.map((list) => ({ ...list, requestId: prepare(list.requestId) })),
        ),
      decodeFailure: destination.dialect.decodeFailure,
    },
    describeRequest: () => ({ 'gen_ai.operation.name': 'models' }),
    describeResponse: ({ requestId }) => ({ 'svc.request_id': requestId || undefined }),
  })(env)
}

/** Counts the questions, in total and per type, for the span. */
const countQuestions = ({ questions }: AskRequest): Attributes => {
  const count = (type: string) => questions.filter(([, question]) => question.type === type).length
  return {
    'svc.questions.count': questions.length,
    'svc.questions.noul': count('noul'),
    'svc.questions.choice': count('choice'),
    'svc.questions.score': count('score'),
    'svc.questions.other': count('other'),
  }
}

const describeResponse = ({ model, usage, requestId }: AskResponse): Attributes => ({
  'gen_ai.response.model': model,
  'gen_ai.usage.input_tokens': usage.input_tokens ? numberOf(usage.input_tokens) : undefined,
  'gen_ai.usage.output_tokens': usage.output_tokens ? numberOf(usage.output_tokens) : undefined,
  'svc.request_id': requestId || undefined,
})
