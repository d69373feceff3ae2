import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { dictionary, json, string } from '../codec/combinators'
import { decodeAnyModels } from '../codec/models'
import { object } from '../codec/object'
import { encodeRequest } from '../codec/request'
import { decodeResponseBody, requestIdOf } from '../codec/response'
import { collectAnswers, type ReadAnswer, readOwnForm, usageCounts } from './answers'
import type { Asked, Dialect, Reply } from './dialect'
import { readFailure } from './failures'

const body = object(
  { answers: dictionary(json) },
  { model: string, usage: usageCounts, request_id: json },
)

/** Reads answers by id. One that is missing is no failure: gateways leave out what a model refused. P8 */
const readResponse = ({ request, model }: Asked, { body: bytes, requestId }: Reply) =>
  pipe(
    decodeResponseBody(body)(bytes),
    E.bindTo('reply'),
    E.bind('answers', ({ reply }) => {
      const questions = new Map(request.questions)
      return collectAnswers(
        Array.from(
          reply.answers,
          ([id, answer]): ReadAnswer => [
            id,
            readOwnForm(answer, questions.get(id), ['answers', id]),
          ],
        ),
      )
    }),
    E.map(({ reply, answers }) => ({
      model: reply.model ?? model,
      answers,
      usage: {
        input_tokens: reply.usage?.input_tokens ?? null,
        output_tokens: reply.usage?.output_tokens ?? null,
      },
      requestId: requestIdOf(requestId, reply.request_id),
    })),
  )

/** TypeSafe's System One: the specification's documents under another path, answered less strictly. P1, P8 */
export const systemone: Dialect = {
  name: 'systemone',
  askPath: '/v1/systemone',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-typesafe-request-id',
  defaultModel: 'svc-latest',
  writeRequest: ({ request, model }) => E.right(encodeRequest(request, model)),
  readResponse,
  readFailure,
  readModels: decodeAnyModels,
}
