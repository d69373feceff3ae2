import * as E from 'fp-ts/Either'
import type { ReceivedAnswer } from '../../codec/answer'
import { array, integer, json, literalNumber, string } from '../../codec/combinators'
import { formatLoc, type Loc } from '../../codec/fault'
import { type Change, changeMembers, type Draft } from '../../codec/json/draft'
import { type JsonValue, Literal, membersIn, numberOf } from '../../codec/json/json'
import { object } from '../../codec/object'
import type { RequestQuestion } from '../../codec/question'
import { decodeResponseBody } from '../../codec/response'
import { type Failure, invalidResponse } from '../../failure/failure'
import {
  collectAnswers,
  completeResponse,
  createLegend,
  type DecodedAnswer,
  decodeFields,
  decodeQuestionsAnswer,
  decodeType,
  responseMembers,
} from './answers'
import type { Dialect } from './dialect'

const body = object({ answers: array(json) }, responseMembers)

/** Decodes the answers, which come in the order of the questions. */
export const decodeDecisionsResponse: Dialect['decodeResponse'] = (asked, response) => {
  const received = decodeResponseBody(body)(response.body)
  if (E.isLeft(received)) return received
  const { questions } = asked.request
  const { answers } = received.right
  if (answers.length !== questions.length)
    return E.left(
      invalidResponse(
        'answers',
        `must have one answer for each of ${questions.length} questions, has ${answers.length}`,
      ),
    )
  const decoded = collectAnswers(
    questions.map(([id, question], index): DecodedAnswer => {
      const answer = answers[index] as JsonValue
      return [id, decodeAnswer(answer, id, question, ['answers', index])]
    }),
  )
  if (E.isLeft(decoded)) return decoded
  return E.right(completeResponse(asked, response, received.right, decoded.right))
}

const named = object({}, { name: string })
const predicate = object({ probability: literalNumber }, {})
const choice = object(
  { choice: string },
  {
    confidence: literalNumber,
    probabilities: array(object({ value: string, probability: literalNumber }, {})),
  },
)
const score = object(
  { score: literalNumber },
  {
    confidence: literalNumber,
    probabilities: array(object({ value: integer, probability: literalNumber }, {})),
  },
)

/** The types of answers in this dialect, by the type of the question. */
const answerTypes: Readonly<Record<RequestQuestion['type'], string>> = {
  noul: 'predicate',
  choice: 'choice',
  score: 'score',
  other: '',
}

/** Decodes an answer. If it has a name, the name must be the id of the question. */
const decodeAnswer = (
  received: JsonValue,
  id: string,
  question: RequestQuestion,
  loc: Loc,
): E.Either<Failure, ReceivedAnswer> => {
  const fields = decodeFields(named, received, loc)
  if (E.isLeft(fields)) return fields
  const { name } = fields.right
  if (name !== undefined && name !== id)
    return E.left(invalidResponse(formatLoc([...loc, 'name']), `must be ${JSON.stringify(id)}`))
  const type = decodeType(received, loc)
  if (E.isLeft(type)) return type
  const expected = answerTypes[question.type]
  if (type.right !== expected && type.right !== 'refusal')
    return E.left(invalidResponse(formatLoc([...loc, 'type']), `must be "${expected}"`))
  const changes = type.right === 'refusal' ? E.right([]) : convertMembers(received, question, loc)
  if (E.isLeft(changes)) return changes
  const converted = changeMembers(membersIn(received), changes.right, ['name'])
  return decodeQuestionsAnswer(converted, question, loc)
}

/** Converts the members of an answer that have another form in the `questions` dialect. */
const convertMembers = (
  received: JsonValue,
  question: RequestQuestion,
  loc: Loc,
): E.Either<Failure, ReadonlyArray<Change>> => {
  switch (question.type) {
    case 'noul': {
      const decoded = decodeFields(predicate, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([
        ['type', 'noul'],
        ['probability', decoded.right.probability, 'noul'],
      ])
    }
    case 'choice': {
      const decoded = decodeFields(choice, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([['probabilities', createTable(decoded.right.probabilities)]])
    }
    case 'score': {
      const decoded = decodeFields(score, received, loc)
      if (E.isLeft(decoded)) return decoded
      return E.right([
        ['legend', createLegend(question)],
        ['probabilities', createTable(decoded.right.probabilities)],
      ])
    }
    case 'other':
      return E.right([])
  }
}

/** The probability of a label or of the index of a level. */
interface ListedProbability {
  readonly value: string | Literal
  readonly probability: Literal
}

/** Creates an object from a list of probabilities, in the same order. If a label is repeated, its last probability counts. */
const createTable = (listed: ReadonlyArray<ListedProbability> = []): ReadonlyMap<string, Draft> =>
  new Map<string, Draft>(
    listed.map(({ value, probability }) => [
      value instanceof Literal ? String(numberOf(value)) : value,
      probability,
    ]),
  )
