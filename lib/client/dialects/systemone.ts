import * as E from 'fp-ts/Either'
import { type Decoded, json, mapDecoded, mapOf } from '../../codec/combinators'
import { changeMembers } from '../../codec/json/draft'
import { type JsonValue, memberIn, membersIn, stringIn } from '../../codec/json/json'
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
import type { ServiceForm } from './service-form'

/** `answers` is required. The members in `responseMembers` are optional. */
const responseDecoder = object({ answers: mapOf(json) }, responseMembers)

/** Creates the decoder of a response whose document is in the member `name`. */
const createWrappedDecoder = (name: string): typeof responseDecoder =>
  mapDecoded(
    object({ [name]: responseDecoder }, {}),
    (wrapper) => wrapper[name] as Decoded<typeof responseDecoder>,
  )

/** Decodes answers by id. A missing answer is no fault, because gateways leave out answers that a model refused to give. */
const decodeResponse: Dialect['decodeResponse'] = (modelRequest, response) => {
  const { responseMember } = modelRequest.form
  const decoder =
    responseMember === undefined ? responseDecoder : createWrappedDecoder(responseMember)
  const received = decodeResponseBody(decoder, response.body)
  if (E.isLeft(received)) return received
  const loc = responseMember === undefined ? ['answers'] : [responseMember, 'answers']
  const questions = new Map(modelRequest.request.questions)
  const decoded: DecodedAnswer[] = []
  for (const [id, answer] of received.right.answers) {
    const inOwnForm = convertAnswer(answer, modelRequest.form)
    decoded.push([id, decodeAnswerInOwnForm(inOwnForm, questions.get(id), [...loc, id])])
  }
  const answers = collectAnswers(decoded)
  if (E.isLeft(answers)) return answers
  return E.right(completeResponse(modelRequest, response, received.right, answers.right))
}

/**
 * Converts an answer of a service whose form differs: the probability of a yes gets the name `noul`, and a legend that is a list, with
 * the levels from 0 on, becomes an object. Other answers stay as they are.
 */
const convertAnswer = (answer: JsonValue, { noulMember }: ServiceForm): JsonValue => {
  const type = stringIn(memberIn(answer, 'type'))
  const probability = noulMember && memberIn(answer, noulMember)
  if (type === 'noul' && noulMember !== undefined && probability !== undefined)
    return changeMembers(membersIn(answer), [
      { name: noulMember, newName: 'noul', value: probability },
    ])
  const legend = memberIn(answer, 'legend')
  if (type !== 'score' || !Array.isArray(legend)) return answer
  const levels = legend.map((level, index) => [String(index), level] as const)
  return changeMembers(membersIn(answer), [{ name: 'legend', value: new Map(levels) }])
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
