import * as E from 'fp-ts/Either'
import { decisionsDialect } from '../../client/dialects/decisions'
import type { Dialect } from '../../client/dialects/dialect'
import { questionsDialect } from '../../client/dialects/questions'
import { dialectForm } from '../../client/dialects/service-form'
import { systemoneDialect } from '../../client/dialects/systemone'
import type { Draft } from '../../codec/json/draft'
import type { JsonObject, JsonValue } from '../../codec/json/json'
import { parseJson } from '../../codec/json/parse'
import type { AskRequest } from '../../codec/request'
import { encodeAnswers } from '../../codec/response'
import { maxContainers } from '../contract/read-ask'
import type { ServedDialect } from '../dialects/served-dialect'

/** A request and its answers, in the form of the `questions` dialect. */
export interface AnsweredAsk {
  readonly state: JsonValue
  readonly questions: AskRequest['questions']
  /** The other members of the request. The member `assets` has its images. */
  readonly extra: JsonObject
  readonly model: string
  /** The answers by question id. */
  readonly answers: Draft
  readonly usage: Draft
  /** The JSON object with `model`, `answers` and `usage`, if it is the body of the response. */
  readonly responseJson?: Uint8Array | undefined
}

/** The documents of an exchange, in the form of one dialect. */
export interface AnsweredDocuments {
  readonly dialect: ServedDialect
  readonly requestBody: Uint8Array
  readonly responseBody: Uint8Array
}

/** The decoders of the responses of each route. */
const clientDialects: ReadonlyArray<Dialect> = [
  questionsDialect,
  systemoneDialect,
  decisionsDialect,
]

/**
 * Decodes the documents of an exchange that the service passed on. Fails with the reason if one of them is invalid. The reason quotes
 * neither of them, because it is logged.
 */
export const decodeAnswered = ({
  dialect,
  requestBody,
  responseBody,
}: AnsweredDocuments): E.Either<string, AnsweredAsk> => {
  const document = parseJson(requestBody, maxContainers)
  if (E.isLeft(document)) return E.left('a request is not JSON')
  const decoded = dialect.decodeRequest(document.right)
  if (E.isLeft(decoded)) return E.left('a request is invalid')
  const { request } = decoded.right
  const client = clientDialects.find(({ askPath }) => askPath === dialect.askPath)
  const modelRequest = {
    request,
    model: request.model ?? '',
    service: 'the engine',
    form: dialectForm,
  }
  const response = client?.decodeResponse(modelRequest, {
    body: responseBody,
    requestId: '',
    redactText: (text) => text,
  })
  if (response === undefined || E.isLeft(response)) return E.left('a response is invalid')
  const { model, usage, usageDetails = [] } = response.right
  return E.right({
    state: request.state,
    questions: request.questions,
    extra: request.extra,
    model,
    answers: encodeAnswers(response.right),
    usage: new Map<string, Draft>([...Object.entries(usage), ...usageDetails]),
  })
}
