import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { ReceivedAnswer } from '../../codec/answer'
import { type Decoded, dictionary, json, string } from '../../codec/combinators'
import { changeMembers, toObject } from '../../codec/json/draft'
import type { JsonValue } from '../../codec/json/json'
import { object } from '../../codec/object'
import type { RequestQuestion } from '../../codec/question'
import { type AskResponse, createUsageDecoder, decodeResponseBody } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import {
  collectAnswers,
  completeResponse,
  decodeOwnForm,
  decodeType,
  legendOf,
  type ReadAnswer,
  replyMembers,
} from './answers'
import type { Dialect, ModelRequest } from './dialect'

/** The questions of a request with the ids that they have on the wire: only these characters, at most 64. */
export const assignWireIds = (
  questions: ModelRequest['request']['questions'],
): ReadonlyArray<readonly [wireId: string, id: string, question: RequestQuestion]> => {
  const taken = new Set(questions.map(([id]) => id))
  let number = 0
  return questions.map(([id, question]) => {
    if (/^[A-Za-z0-9_-]{1,64}$/.test(id)) return [id, id, question]
    do number += 1
    while (taken.has(`q${number}`))
    return [`q${number}`, id, question]
  })
}

const usage = createUsageDecoder('total_input_tokens', 'total_output_tokens')
const feedback = object({}, { block_reason: string, block_reason_message: string })
const body = object(
  {},
  { ...replyMembers, answers: dictionary(json), prompt_feedback: feedback, usage },
)

/** Reads answers by id, each of the type asked for, or the block of the whole request. */
export const decodeGeminiResponse: Dialect['decodeResponse'] = (asked, reply) =>
  pipe(
    decodeResponseBody(body)(reply.body),
    E.chain((received) => {
      const { answers, prompt_feedback: block } = received
      const read =
        block !== undefined && !answers?.size
          ? E.right(refuseAll(asked, reply.prepare(reasonOf(block))))
          : readAnswers(asked, answers)
      return pipe(
        read,
        E.map((all) => completeResponse(asked, reply, received, all)),
      )
    }),
  )

const readAnswers = (
  { request }: ModelRequest,
  received: ReadonlyMap<string, JsonValue> | undefined,
): E.Either<Failure, AskResponse['answers']> => {
  if (received === undefined) return E.left(invalidResponse('answers', 'is required'))
  const questions = new Map(assignWireIds(request.questions).map((all) => [all[0], all]))
  const wireIds = new Set([...received.keys(), ...questions.keys()])
  return collectAnswers(
    Array.from(wireIds, (wireId): ReadAnswer => {
      const [, id = '', question] = questions.get(wireId) ?? []
      const answer = received.get(wireId)
      if (question === undefined) return [id, E.left(surplusAnswer)]
      return answer === undefined
        ? [id, E.left(invalidResponse(`answers.${id}`, 'is required'))]
        : [id, readAnswer(answer, id, question)]
    }),
  )
}

const surplusAnswer = invalidResponse('answers', 'has an answer to a question that was not asked')

const readAnswer = (
  received: JsonValue,
  id: string,
  question: RequestQuestion,
): E.Either<Failure, ReceivedAnswer> =>
  pipe(
    decodeType(received, ['answers', id]),
    E.filterOrElse(
      (type) => type === question.type || type === 'refusal',
      () => invalidResponse(`answers.${id}.type`, `must be "${question.type}"`),
    ),
    E.chain((type) =>
      pipe(
        decodeOwnForm(received, question, ['answers', id]),
        E.map((answer) =>
          // Gemini's legend has the levels as texts, and only those that are not empty.
          type === 'score' && question.type === 'score'
            ? { ...answer, json: changeMembers(answer.json, [['legend', legendOf(question)]]) }
            : answer,
        ),
      ),
    ),
  )

/** Why a request was blocked, in the service's words; `''` if it does not say. */
const reasonOf = (block: Decoded<typeof feedback>): string =>
  [block.block_reason, block.block_reason_message].filter((text) => text).join(': ')

const refuseAll = ({ request }: ModelRequest, reason: string): AskResponse['answers'] => {
  const refusal: ReceivedAnswer = {
    type: 'refusal',
    json: toObject({ type: 'refusal', reason: reason || undefined }),
    ...(reason !== '' && { reason }),
  }
  return new Map(request.questions.map(([id]) => [id, refusal]))
}
