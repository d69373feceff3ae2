import * as E from 'fp-ts/Either'
import { type ReceivedAnswer, receivedAnswer } from '../../codec/answer'
import { type Decoded, type Decoder, json, string } from '../../codec/combinators'
import { compareCodePoints, firstFault, formatLoc, type Loc } from '../../codec/fault'
import type { JsonObject, JsonValue } from '../../codec/json/json'
import { type Shaped, typed } from '../../codec/object'
import type { RequestQuestion, Score } from '../../codec/question'
import { type AskResponse, createUsageDecoder, noUsage, requestIdOf } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import type { ModelRequest, SuccessResponse } from './dialect'

/** What a response holds beside its answers. All of it may be missing. */
export const replyMembers = {
  model: string,
  usage: createUsageDecoder('input_tokens', 'output_tokens'),
  request_id: json,
}

/** A response in svc's own form: the model is the one asked for if the reply names none. */
export const completeResponse = (
  { model }: ModelRequest,
  { requestId }: SuccessResponse,
  reply: Shaped<Record<never, never>, typeof replyMembers>,
  answers: AskResponse['answers'],
): AskResponse => ({
  model: reply.model ?? model,
  answers,
  ...(reply.usage ?? noUsage),
  requestId: requestIdOf(requestId, reply.request_id),
})

/** An answer's id with the answer in svc's own form, or why the answer is invalid. */
export type ReadAnswer = readonly [id: string, answer: E.Either<Failure, ReceivedAnswer>]

/** Collects answers. Fails as the invalid answer does whose id comes first. */
export const collectAnswers = (
  read: ReadonlyArray<ReadAnswer>,
): E.Either<Failure, AskResponse['answers']> => {
  const sorted = [...read].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [, answer] of sorted) if (E.isLeft(answer)) return answer
  return E.right(
    new Map(read.flatMap(([id, answer]) => (E.isRight(answer) ? [[id, answer.right]] : []))),
  )
}

/** Decodes the fields of an answer at this place. Fails as an invalid response. */
export const decodeFields = <A>(
  fields: Decoder<A>,
  received: JsonValue,
  at: Loc,
): E.Either<Failure, A> => {
  const decoded = fields.decode(received)
  if (E.isRight(decoded)) return decoded
  const { loc, message } = firstFault(decoded.left)
  return E.left(invalidResponse(formatLoc([...at, ...loc]), message))
}

/** Reads the `type` of an answer at this place. */
export const decodeType = (received: JsonValue, at: Loc): E.Either<Failure, string> =>
  E.map(({ type }: Decoded<typeof typed>) => type)(decodeFields(typed, received, at))

/** The legend of a score: each level of the request by its index. */
export const legendOf = ({ criteria = [] }: Score): JsonObject =>
  new Map(criteria.map((level, index) => [String(index), level] as const))

/**
 * Reads an answer in svc's own form. Missing probabilities become an empty object, and a missing legend is rebuilt from
 * the question.
 */
export const decodeOwnForm = (
  received: JsonValue,
  question: RequestQuestion | undefined,
  at: Loc,
): E.Either<Failure, ReceivedAnswer> => {
  const legend = question?.type === 'score' ? legendOf(question) : {}
  return decodeFields(receivedAnswer(legend), received, at)
}
