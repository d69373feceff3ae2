import * as E from 'fp-ts/Either'
import { dictionary, json } from '../../codec/combinators'
import { decodeAnyModelList } from '../../codec/models'
import { object } from '../../codec/object'
import { decodeResponseBody } from '../../codec/response'
import {
  collectAnswers,
  completeResponse,
  type DecodedAnswer,
  decodeQuestionsAnswer,
  responseMembers,
} from './decode-answers'
import { decodeFailure } from './decode-failure'
import type { Dialect } from './dialect'
import { encodeQuestionsRequest } from './questions'

const body = object({ answers: dictionary(json) }, responseMembers)

/** Decodes answers by id. A missing answer is no fault, because gateways leave out answers that a model refused to give. */
const decodeResponse: Dialect['decodeResponse'] = (asked, response) => {
  const received = decodeResponseBody(body)(response.body)
  if (E.isLeft(received)) return received
  const questions = new Map(asked.request.questions)
  const decoded: DecodedAnswer[] = []
  for (const [id, answer] of received.right.answers)
    decoded.push([id, decodeQuestionsAnswer(answer, questions.get(id), ['answers', id])])
  const answers = collectAnswers(decoded)
  if (E.isLeft(answers)) return answers
  return E.right(completeResponse(asked, response, received.right, answers.right))
}

/** TypeSafe's System One: the documents of `questions` at another path, decoded less strictly. */
export const systemoneDialect: Dialect = {
  name: 'systemone',
  askPath: '/v1/systemone',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-typesafe-request-id',
  defaultModel: 'svc-latest',
  encodeRequest: encodeQuestionsRequest,
  decodeResponse,
  decodeFailure,
  decodeModels: decodeAnyModelList,
}
