import * as E from 'fp-ts/Either'
import { encodeText } from '../../codec/json/draft'
import { numberOf } from '../../codec/json/json'
import { type AskRequest, checkRequest } from '../../codec/request'
import type { AskResponse, Models } from '../../codec/response'
import { type ApiError, type Failure, nameProvider, usage } from '../../failure/failure'
import type { Attributes, Tracer } from '../../runtime/tracer'
import { redactAndCut } from '../../text/sanitize'
import type { Logger } from '../../tracing/log'
import type { Destination } from '../providers/destination'
import type { ServiceResponse } from './attempt'
import { type CallFailure, callService, type ServiceCall } from './call'
import type { CallContext } from './call-context'
import { type ClientHeaders, encodeAsk, locateAsk, selectImageHeaders } from './encode-call'

/** A client of one destination. */
export interface ServiceClient extends CallContext {
  readonly destination: Destination
  readonly headers: ClientHeaders
}

/** The client of a command, which logs and traces its calls. */
export interface ObservedClient extends ServiceClient {
  readonly log: Logger
  readonly tracer: Tracer
  readonly signal: AbortSignal
}

/** Returns a client that keeps connections open and reuses them for later calls. */
export const keepConnections = <C extends ServiceClient>(client: C): C => {
  const { fetch, clock, random } = client.runtime
  return {
    ...client,
    runtime: { clock, random, fetch: (url, init) => fetch(url, { ...init, keepAlive: true }) },
  }
}

/** The result of a call: the decoded response, or the failure of the last attempt. */
type CallResult<A> = E.Either<CallFailure, ServiceResponse<A>>

/**
 * Checks a request, sends it and decodes the answers. Fails with a validation error before anything is sent if the request
 * is invalid. `model` overrides the default model of the client's destination.
 */
export const checkAndAsk = async (
  client: ServiceClient,
  request: AskRequest,
  model?: string,
): Promise<CallResult<AskResponse>> => {
  const checked = checkRequest(request)
  return E.isLeft(checked)
    ? failUnsent(client.destination, checked.left)
    : askCheckedRequest(client, request, model)
}

/** The options of a call. */
export interface AnswerOptions {
  /** `true` if a response may lack answers. In every dialect the other answers are then returned. */
  readonly mayLackAnswers?: boolean
}

/**
 * Sends a request whose questions have been checked, and decodes the answers. Before anything is sent, fails with a usage error if there
 * is no model, and with a validation error if the service does not support the request.
 */
export const askCheckedRequest = async (
  client: ServiceClient,
  request: AskRequest,
  model?: string,
  { mayLackAnswers = false }: AnswerOptions = {},
): Promise<CallResult<AskResponse>> => {
  const { destination, redact } = client
  const { dialect } = destination
  const encoded = encodeAsk(destination, request, model)
  if (E.isLeft(encoded)) return failUnsent(destination, encoded.left)
  const { body } = encoded.right
  const modelRequest = { ...encoded.right.modelRequest, mayLackAnswers }
  // Texts in answers stay as they are. The model and the request id are redacted and cut.
  const redactText = redactAndCut(redact)
  const call: ServiceCall<AskResponse> = {
    name: 'svc.ask',
    request: {
      method: 'POST',
      ...locateAsk(destination, modelRequest.model),
      providerName: destination.providerName,
      requestIdHeader: destination.requestIdHeader,
      headers: { ...client.headers.withBody, ...selectImageHeaders(destination, request) },
      body: encodeText(body),
      decode: (responseBody, requestId) => {
        const decoded = dialect.decodeResponse(modelRequest, {
          body: responseBody,
          requestId,
          redactText,
        })
        if (E.isLeft(decoded)) return decoded
        const response = decoded.right
        return E.right({
          ...response,
          model: redactText(response.model),
          requestId: redactText(response.requestId),
        })
      },
      decodeFailure: dialect.decodeFailure,
    },
    createRequestAttributes: () => ({
      'gen_ai.operation.name': 'ask',
      'gen_ai.request.model': modelRequest.model,
      ...countQuestions(request),
    }),
    createResponseAttributes,
  }
  return callService(call, client)
}

/** Fetches the list of models. Fails with a usage error if svc knows of no such list at the service. */
export const fetchModels = async (client: ServiceClient): Promise<CallResult<Models>> => {
  const { destination } = client
  if (!destination.hasModelList)
    return failUnsent(destination, usage(describeMissingList(destination)))
  const redactText = redactAndCut(client.redact)
  const call: ServiceCall<Models> = {
    name: 'svc.models',
    request: {
      method: 'GET',
      url: destination.models.url,
      path: destination.models.path,
      providerName: destination.providerName,
      requestIdHeader: destination.requestIdHeader,
      headers: client.headers.withoutBody,
      decode: (body, requestId) => {
        const models = destination.dialect.decodeModels(body, requestId)
        if (E.isLeft(models)) return models
        return E.right({ ...models.right, requestId: redactText(models.right.requestId) })
      },
      decodeFailure: destination.dialect.decodeFailure,
    },
    createRequestAttributes: () => ({ 'gen_ai.operation.name': 'models' }),
    createResponseAttributes: ({ requestId }) => ({ 'svc.request_id': requestId || undefined }),
  }
  return callService(call, client)
}

/** Describes why svc cannot list the models of a service. */
export const describeMissingList = ({
  service,
  model,
  modelHint,
}: Pick<Destination, 'service' | 'model' | 'modelHint'>): string =>
  `svc knows of no list of models at ${service}${model === undefined ? `: ${modelHint}` : ''}`

/**
 * Sends a document without questions to the address for questions, to find out if the service knows that address. Services refuse the
 * document, and charge nothing for it. Returns the failure of the call if it shows that questions would fail too: the service
 * does not know the address, does not accept the key, or redirects.
 */
export const tryAskRoute = async (client: ServiceClient): Promise<Failure | undefined> => {
  const { destination } = client
  const call: ServiceCall<void> = {
    name: 'svc.try_route',
    request: {
      method: 'POST',
      url: destination.ask.url,
      path: destination.ask.path,
      providerName: destination.providerName,
      requestIdHeader: destination.requestIdHeader,
      headers: client.headers.withBody,
      body: '{}',
      decode: () => E.right(undefined),
      decodeFailure: destination.dialect.decodeFailure,
    },
    createRequestAttributes: () => ({}),
    createResponseAttributes: () => ({}),
  }
  const result = await callService(call, client)
  if (E.isRight(result)) return undefined
  const { failure } = result.left
  return failure._tag !== 'ApiError' || failsQuestionsToo(failure) ? failure : undefined
}

/** The statuses with which a service would also answer a document with questions. */
const lastingStatuses = [401, 402, 403, 404, 405, 407]

/**
 * Returns `true` if questions would get the same status. A 404 about a model that the document does not name, or about a request that
 * `svc serve --fixtures` has not recorded, is no such status.
 */
const failsQuestionsToo = ({ status, message }: ApiError): boolean =>
  status < 400 ||
  (lastingStatuses.includes(status) && !(status === 404 && /model|recorded/i.test(message)))

/** Creates the failure of a call whose request cannot be sent. */
const failUnsent = (
  { providerName }: Destination,
  failure: Failure,
): E.Either<CallFailure, never> =>
  E.left({ failure: nameProvider(failure, providerName), info: {}, attempts: 0 })

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

const createResponseAttributes = ({ model, usage, requestId }: AskResponse): Attributes => ({
  'gen_ai.response.model': model,
  'gen_ai.usage.input_tokens': usage.input_tokens ? numberOf(usage.input_tokens) : undefined,
  'gen_ai.usage.output_tokens': usage.output_tokens ? numberOf(usage.output_tokens) : undefined,
  'svc.request_id': requestId || undefined,
})
