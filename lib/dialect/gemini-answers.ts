import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { dictionary, integer, json, string } from '../codec/combinators'
import { object } from '../codec/object'
import type { Question } from '../codec/question'
import { type AskResponse, decodeResponseBody, requestIdOf } from '../codec/response'
import { type Failure, invalidResponse } from '../failure/failure'
import { toJson } from '../json/draft'
import type { Json } from '../json/json'
import { encodeHarmless } from '../json/output'
import {
  changeMembers,
  collectAnswers,
  decodeType,
  legendOf,
  type ReadAnswer,
  readOwnForm,
} from './answers'
import type { Asked, Reply } from './dialect'

/** The questions of a request with the ids that they have on the wire: only these characters, at most 64. P7 */
export const withWireIds = ({
  questions,
}: Asked['request']): ReadonlyArray<readonly [wireId: string, id: string, question: Question]> => {
  const taken = new Set(questions.map(([id]) => id))
  let number = 0
  return questions.map(([id, question]) => {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return [id, id, question]
    do number += 1
    while (taken.has(`q${number}`))
    return [`q${number}`, id, question]
  })
}

const usage = object({}, { total_input_tokens: integer, total_output_tokens: integer })
const feedback = object({}, { block_reason: string, block_reason_message: string })
const body = object(
  {},
  { answers: dictionary(json), prompt_feedback: feedback, model: string, usage, request_id: json },
)

/** Reads answers by id, each of the type asked for, or the block of the whole request. P8, P9 */
export const readResponse = (
  asked: Asked,
  { body: bytes, requestId, prepare }: Reply,
): E.Either<Failure, AskResponse> =>
  pipe(
    decodeResponseBody(body)(bytes),
    E.bindTo('reply'),
    E.bind('answers', ({ reply: { answers, prompt_feedback: block } }) => {
      if (block !== undefined && !answers?.size)
        return E.right(refuseAll(asked, prepare(reasonOf(block))))
      return answers === undefined
        ? E.left(invalidResponse('answers', 'is required'))
        : readAnswers(asked, answers)
    }),
    E.map(({ reply, answers }) => ({
      model: reply.model ?? asked.model,
      answers,
      usage: {
        input_tokens: reply.usage?.total_input_tokens ?? null,
        output_tokens: reply.usage?.total_output_tokens ?? null,
      },
      requestId: requestIdOf(requestId, reply.request_id),
    })),
  )

const readAnswers = (
  { request }: Asked,
  received: ReadonlyMap<string, Json>,
): E.Either<Failure, ReadonlyMap<string, Json>> => {
  const questions = withWireIds(request)
  const byWireId = new Map(questions.map(([wireId, id, question]) => [wireId, { id, question }]))
  const answered: Array<ReadAnswer> = []
  for (const [wireId, answer] of received) {
    const asked = byWireId.get(wireId)
    if (asked === undefined)
      return E.left(invalidResponse('answers', 'has an answer to a question that was not asked'))
    answered.push([asked.id, readAnswer(answer, asked.id, asked.question)])
  }
  const missing = questions
    .filter(([wireId]) => !received.has(wireId))
    .map(([, id]): ReadAnswer => [id, E.left(invalidResponse(`answers.${id}`, 'is required'))])
  return collectAnswers([...answered, ...missing])
}

const readAnswer = (received: Json, id: string, question: Question): E.Either<Failure, Json> =>
  pipe(
    decodeType(received, ['answers', id]),
    E.filterOrElse(
      (type) => type === question.type || type === 'refusal',
      () => invalidResponse(`answers.${id}.type`, `must be "${question.type}"`),
    ),
    E.chain((type) =>
      pipe(
        readOwnForm(received, question, ['answers', id]),
        E.map((answer) =>
          // Gemini's legend has the levels as texts, and only those that are not empty.
          type === 'score' && question.type === 'score'
            ? changeMembers(answer, [{ from: 'legend', to: 'legend', value: legendOf(question) }])
            : answer,
        ),
      ),
    ),
  )

/** Why a request was blocked, in the service's words; `''` where it does not say. */
const reasonOf = (block: {
  readonly block_reason?: string | undefined
  readonly block_reason_message?: string | undefined
}): string => [block.block_reason, block.block_reason_message].filter((text) => text).join(': ')

const refuseAll = ({ request }: Asked, reason: string): ReadonlyMap<string, Json> => {
  const refusal = toJson({
    type: 'refusal',
    reason: reason === '' ? undefined : encodeHarmless(reason),
  })
  return new Map(request.questions.map(([id]) => [id, refusal]))
}
