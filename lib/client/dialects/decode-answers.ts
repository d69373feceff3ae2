import * as E from 'fp-ts/Either'
import { createReceivedAnswerDecoder, type ReceivedAnswer } from '../../codec/answer'
import { type Decoder, json, string } from '../../codec/combinators'
import { compareCodePoints, firstFault, formatLoc, type Loc } from '../../codec/fault'
import type { JsonObject, JsonValue } from '../../codec/json/json'
import { type DecodedObject, objectWithType } from '../../codec/object'
import type { RequestQuestion, Score } from '../../codec/question'
import { type AskResponse, createUsageDecoder, noUsage, requestIdOf } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import type { ModelRequest, SuccessResponse } from './dialect'

/** Decoders of the optional fields of a response besides its answers. A request id that is not a string is ignored. */
export const responseMembers = {
  model: string,
  usage: createUsageDecoder('input_tokens', 'output_tokens'),
  request_id: json,
}

/** The decoded `responseMembers`. All of them are optional: the first argument of `DecodedObject` lists required members. */
type ReceivedMembers = DecodedObject<Record<never, never>, typeof responseMembers>

/** Adds the other fields of a response to its answers. If the response names no model, the model is that of the request. */
export const completeResponse = (
  { model }: ModelRequest,
  { requestId }: SuccessResponse,
  received: ReceivedMembers,
  answers: AskResponse['answers'],
): AskResponse => ({
  model: received.model ?? model,
  answers,
  ...(received.usage ?? noUsage),
  requestId: requestIdOf(requestId, received.request_id),
})

/** The id of a question, and the decoded answer to it or the fault of the answer. */
export type DecodedAnswer = readonly [id: string, answer: E.Either<Failure, ReceivedAnswer>]

/**
 * Collects answers by id, in the order of `decoded`. If several are invalid, fails with the fault of the one whose id sorts
 * first.
 */
export const collectAnswers = (
  decoded: ReadonlyArray<DecodedAnswer>,
): E.Either<Failure, AskResponse['answers']> => {
  const sorted = [...decoded].sort(([a], [b]) => compareCodePoints(a, b))
  for (const [, answer] of sorted) if (E.isLeft(answer)) return answer
  const answers = new Map<string, ReceivedAnswer>()
  for (const [id, answer] of decoded) if (E.isRight(answer)) answers.set(id, answer.right)
  return E.right(answers)
}

/** Decodes an answer. The failure names `loc`, the path of the answer in the response, and the field below it. */
export const decodeAnswerFields = <A>(
  decoder: Decoder<A>,
  received: JsonValue,
  loc: Loc,
): E.Either<Failure, A> => {
  const decoded = decoder.decode(received)
  if (E.isRight(decoded)) return decoded
  const fault = firstFault(decoded.left)
  return E.left(invalidResponse(formatLoc([...loc, ...fault.loc]), fault.message))
}

/** Decodes the `type` of an answer. */
export const decodeType = (received: JsonValue, loc: Loc): E.Either<Failure, string> => {
  const fields = decodeAnswerFields(objectWithType, received, loc)
  return E.isLeft(fields) ? fields : E.right(fields.right.type)
}

/** Creates the legend of a score: its levels by index. */
export const createLegend = ({ criteria = [] }: Score): JsonObject =>
  new Map(criteria.map((level, index) => [String(index), level] as const))

/**
 * Decodes an answer in svc's own form, that of the `questions` dialect. Missing probabilities become an empty object. A
 * legend maps the levels of a score to their descriptions. A missing legend is created from the question. `question` is `undefined`
 * if the answer is to a question that was not asked; the legend is then empty.
 */
export const decodeAnswerInOwnForm = (
  received: JsonValue,
  question: RequestQuestion | undefined,
  loc: Loc,
): E.Either<Failure, ReceivedAnswer> => {
  const legend = question?.type === 'score' ? createLegend(question) : {}
  return decodeAnswerFields(createReceivedAnswerDecoder(legend), received, loc)
}
