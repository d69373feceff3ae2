import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { dictionary, json } from '../../codec/combinators'
import { decodeAnyModelList } from '../../codec/models'
import { object } from '../../codec/object'
import { decodeResponseBody } from '../../codec/response'
import { collectAnswers, completeResponse, decodeOwnForm, replyMembers } from './answers'
import type { Dialect } from './dialect'
import { decodeFailure } from './failures'
import { encodeOwnForm } from './own-form'

const body = object({ answers: dictionary(json) }, replyMembers)

/** Reads answers by id. One that is missing is no failure: gateways leave out what a model refused. */
const readResponse: Dialect['decodeResponse'] = (asked, reply) =>
  pipe(
    decodeResponseBody(body)(reply.body),
    E.chain((received) => {
      const questions = new Map(asked.request.questions)
      const answers = Array.from(
        received.answers,
        ([id, answer]) => [id, decodeOwnForm(answer, questions.get(id), ['answers', id])] as const,
      )
      return pipe(
        collectAnswers(answers),
        E.map((collected) => completeResponse(asked, reply, received, collected)),
      )
    }),
  )

/** TypeSafe's System One: the specification's documents under another path, answered less strictly. */
export const systemoneDialect: Dialect = {
  name: 'systemone',
  askPath: '/v1/systemone',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-typesafe-request-id',
  defaultModel: 'svc-latest',
  encodeRequest: encodeOwnForm,
  decodeResponse: readResponse,
  decodeFailure: decodeFailure,
  decodeModels: decodeAnyModelList,
}
