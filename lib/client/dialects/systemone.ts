import * as E from 'fp-ts/Either'
import { json, mapOf } from '../../codec/combinators'
import { object } from '../../codec/object'
import { decodeAnyModelList, decodeResponseBody } from '../../codec/response'
import {
  collectAnswers,
  completeResponse,
  type DecodedAnswer,
  decodeAnswerInOwnForm,
  responseMembers,
} from './decode-answers'
import { decodeCommonFailure } from './decode-failure'
import type { Dialect } from './dialect'
import { encodeQuestionsRequest } from './questions'

/** `answers` is required. The members in `responseMembers` are optional. */
const responseDecoder = object({ answers: mapOf(json) }, responseMembers)

/** Decodes answers by id. A missing answer is no fault, because gateways leave out answers that a model refused to give. */
const decodeResponse: Dialect['decodeResponse'] = (modelRequest, response) => {
  const received = decodeResponseBody(responseDecoder, response.body)
  if (E.isLeft(received)) return received
  const questions = new Map(modelRequest.request.questions)
  const decoded: DecodedAnswer[] = []
  for (const [id, answer] of received.right.answers)
    decoded.push([id, decodeAnswerInOwnForm(answer, questions.get(id), ['answers', id])])
  const answers = collectAnswers(decoded)
  if (E.isLeft(answers)) return answers
  return E.right(completeResponse(modelRequest, response, received.right, answers.right))
}

/**
 * TypeSafe's System One. Requests are those of `questions`. Responses may lack answers. Answers may lack
 * probabilities. Scores may lack a legend, which maps their levels to descriptions.
 */
export const systemoneDialect: Dialect = {
  name: 'systemone',
  askPath: '/v1/systemone',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-typesafe-request-id',
  defaultModel: 'svc-latest',
  encodeRequest: encodeQuestionsRequest,
  decodeResponse,
  decodeFailure: decodeCommonFailure,
  decodeModels: decodeAnyModelList,
}
