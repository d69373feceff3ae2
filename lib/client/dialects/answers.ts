import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import {
  anyObject,
  type Decoded,
  type Decoder,
  integer,
  json,
  literalNumber,
  objectOfEach,
  string,
} from '../../codec/combinators'
import { compareCodePoints, firstFault, formatLoc, type Loc } from '../../codec/fault'
import { changeMembers, type Draft } from '../../codec/json/draft'
import { type JsonObject, type JsonValue, valuesOf } from '../../codec/json/json'
import { object, type Shaped, typed } from '../../codec/object'
import type { Question, Score } from '../../codec/question'
import { type AskResponse, requestIdOf } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import type { Asked, Reply } from './dialect'

/** What a response holds beside its answers. All of it may be missing. P8 */
export const replyMembers = {
  model: string,
  usage: object({}, { input_tokens: integer, output_tokens: integer }),
  request_id: json,
}

/** A response in svc's own form: the model is the one asked for where the reply names none. P8 */
export const completeResponse = (
  { model }: Asked,
  { requestId }: Reply,
  reply: Shaped<Record<never, never>, typeof replyMembers>,
  answers: AskResponse['answers'],
): AskResponse => ({
  model: reply.model ?? model,
  answers,
  usage: {
    input_tokens: reply.usage?.input_tokens ?? null,
    output_tokens: reply.usage?.output_tokens ?? null,
  },
  requestId: requestIdOf(requestId, reply.request_id),
})

/** An answer's id with the answer in svc's own form, or why the answer is invalid. */
export type ReadAnswer = readonly [id: string, answer: E.Either<Failure, JsonValue>]

/** Collects answers. Fails as the invalid answer does whose id comes first. D14 */
export const collectAnswers = (
  read: ReadonlyArray<ReadAnswer>,
): E.Either<Failure, ReadonlyMap<string, JsonValue>> => {
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

/** The legend of a score: each level of the request by its index. P8 */
export const legendOf = ({ criteria = [] }: Score): ReadonlyMap<string, JsonValue> =>
  new Map(criteria.map((level, index) => [String(index), level] as const))

const probabilities = objectOfEach(literalNumber)
const noul = object({ noul: literalNumber }, {})
const choice = object({ choice: string }, { confidence: literalNumber, probabilities })
const score = object(
  { score: literalNumber },
  { confidence: literalNumber, legend: anyObject, probabilities },
)

/**
 * Reads an answer that already has svc's own form. Only its value is required; missing probabilities become an
 * empty object, and a missing legend is rebuilt from the question. Answers of unknown types are passed on. P8
 */
export const readOwnForm = (
  received: JsonValue,
  question: Question | undefined,
  at: Loc,
): E.Either<Failure, JsonValue> => {
  const type = decodeType(received, at)
  if (E.isLeft(type)) return type
  switch (type.right) {
    case 'noul':
      return E.map(() => received)(decodeFields(noul, received, at))
    case 'choice':
      return pipe(
        decodeFields(choice, received, at),
        E.map((fields) => addMissing(valuesOf(received), fields, { probabilities: {} })),
      )
    case 'score': {
      const legend = question?.type === 'score' ? legendOf(question) : {}
      return pipe(
        decodeFields(score, received, at),
        E.map((fields) => addMissing(valuesOf(received), fields, { legend, probabilities: {} })),
      )
    }
    default:
      return E.right(received)
  }
}

/** Adds those of these members that an answer does not have. `fields` are the ones it has. */
const addMissing = (
  received: JsonObject,
  fields: object,
  members: Readonly<Record<string, Draft>>,
): JsonValue =>
  changeMembers(
    received,
    Object.entries(members).filter(([name]) => !Object.hasOwn(fields, name)),
  )
