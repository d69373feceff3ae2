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
import type { Asked } from '../dialects/dialect'
import type { Place } from '../providers/place'
import type { Received } from './attempt'
import { call, type FailedCall } from './call'
import type { ClientEnv } from './env'
import { imageHeaders } from './headers'
import { writeRequest } from './write-request'

/**
 * Chooses the model of a request: the one given for the call, otherwise that of the place. Fails with a usage
 * error that says how to name one, where there is none.
 */
export const chooseModel = (
  { service, model: usual, modelHint }: Place,
  model: string | undefined,
): E.Either<Failure, string> => {
  const chosen = model || usual
  return chosen === undefined
    ? E.left(usage(`${service} has no default model: ${modelHint}`))
    : E.right(chosen)
}

/** A request that can be sent, and its body. */
interface Written {
  readonly asked: Asked
  readonly body: Draft
}

/**
 * Writes the body of a request whose questions have been checked. It always names a model. Fails with a usage
 * error without one, and with a validation error for what the service cannot be asked.
 */
export const writeAsk = (
  place: Place,
  request: AskRequest,
  model?: string,
): E.Either<Failure, Written> => {
  const chosen = chooseModel(place, model)
  if (E.isLeft(chosen)) return chosen
  const asked: Asked = { request, model: chosen.right, service: place.service }
  const body = writeRequest(place, asked)
  return E.isLeft(body) ? body : E.right({ asked, body: body.right })
}

/** A call that fails before anything is sent. */
const failUnsent =
  (place: Place, failure: Failure): TaskEither<FailedCall, never> =>
  async () =>
    E.left({ failure: nameProvider(failure, place.provider), facts: {}, attempts: 0 })

/**
 * Checks a request, sends it and decodes the response. `model` overrides the model of the place for this call.
 * An invalid request fails with a validation error before anything is sent.
 */
export const ask =
  (
    request: AskRequest,
    model?: string,
  ): ReaderTaskEither<ClientEnv, FailedCall, Received<AskResponse>> =>
  (env) => {
    const checked = checkRequest(request)
    return E.isLeft(checked) ? failUnsent(env.place, checked.left) : askChecked(request, model)(env)
  }

/** Sends a request whose questions have been checked, and decodes the response. Fails as `writeAsk` does. */
export const askChecked =
  (
    request: AskRequest,
    model?: string,
  ): ReaderTaskEither<ClientEnv, FailedCall, Received<AskResponse>> =>
  (env) => {
    const { place, redact } = env
    const { dialect, requestIdHeader } = place
    const written = writeAsk(place, request, model)
    if (E.isLeft(written)) return failUnsent(place, written.left)
    const { asked, body } = written.right
    // Answers keep their text; model and request id are redacted and cut.
    const prepare = redactAndCut(redact)
    return call({
      name: 'svc.ask',
      exchange: {
        method: 'POST',
        url: place.ask.url,
        path: place.ask.path,
        provider: place.provider,
        requestIdHeader,
        headers: { ...env.headers(true), ...imageHeaders(place, request) },
        body: encodeText(body),
        decode: (bytes, id) => {
          const response = dialect.readResponse(asked, { body: bytes, requestId: id, prepare })
          if (E.isLeft(response)) return response
          const { model, requestId } = response.right
          return E.right({
            ...response.right,
            model: prepare(model),
            requestId: prepare(requestId),
          })
        },
        readFailure: dialect.readFailure,
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
export const listModels: ReaderTaskEither<ClientEnv, FailedCall, Received<Models>> = (env) => {
  const { place } = env
  const prepare = redactAndCut(env.redact)
  return call({
    name: 'svc.models',
    exchange: {
      method: 'GET',
      ...place.models,
      provider: place.provider,
      requestIdHeader: place.requestIdHeader,
      headers: env.headers(false),
      decode: (bytes, id) =>
        pipe(
          place.dialect.readModels(bytes, id),
          E.map((list) => ({ ...list, requestId: prepare(list.requestId) })),
        ),
      readFailure: place.dialect.readFailure,
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
