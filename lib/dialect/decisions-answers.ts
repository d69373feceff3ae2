import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { anyNumber, anyString, array, integer, json, string } from '../codec/combinators'
import { formatLoc, type Loc } from '../codec/fault'
import { fieldsCodec, object } from '../codec/object'
import type { Question } from '../codec/question'
import { type AskResponse, decodeResponseBody, requestIdOf } from '../codec/response'
import { type Failure, invalidResponse } from '../failure/failure'
import { type Draft, Entries } from '../json/draft'
import { type Json, numberOf, stringOf } from '../json/json'
import {
  type Change,
  changeMembers,
  collectAnswers,
  decodeFields,
  decodeType,
  legendOf,
  type ReadAnswer,
  usageCounts,
} from './answers'
import type { Asked, Reply } from './dialect'

const body = object(
  { answers: array(json) },
  { model: string, usage: usageCounts, request_id: json },
)

/** Reads the answers, which come in the order of the questions. P8 */
export const readResponse = (
  { request, model }: Asked,
  { body: bytes, requestId }: Reply,
): E.Either<Failure, AskResponse> =>
  pipe(
    decodeResponseBody(body)(bytes),
    E.filterOrElse(
      ({ answers }) => answers.length === request.questions.length,
      ({ answers }) =>
        invalidResponse(
          'answers',
          `must have one answer for each of ${request.questions.length} questions, has ${answers.length}`,
        ),
    ),
    E.bindTo('reply'),
    E.bind('answers', ({ reply }) =>
      collectAnswers(
        request.questions.map(([id, question], index): ReadAnswer => {
          const answer = reply.answers[index] as Json
          return [id, readAnswer(answer, id, question, ['answers', index])]
        }),
      ),
    ),
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

const named = fieldsCodec({}, { name: string })
const predicate = fieldsCodec({ probability: anyNumber }, {})
const choice = fieldsCodec(
  { choice: anyString },
  {
    confidence: anyNumber,
    probabilities: array(object({ value: anyString, probability: anyNumber }, {})),
  },
)
const score = fieldsCodec(
  { score: anyNumber },
  {
    confidence: anyNumber,
    probabilities: array(object({ value: integer, probability: anyNumber }, {})),
  },
)

/** The type of the answer to a question in this dialect. */
const answerType: Readonly<Record<Question['type'], string>> = {
  noul: 'predicate',
  choice: 'choice',
  score: 'score',
  other: '',
}

/** Reads one answer. One that carries a name must carry that of its question. P8, P9 */
const readAnswer = (
  received: Json,
  id: string,
  question: Question,
  at: Loc,
): E.Either<Failure, Json> =>
  pipe(
    decodeFields(named, received, at),
    E.filterOrElse(
      ({ name }) => name === undefined || name === id,
      () => invalidResponse(formatLoc([...at, 'name']), `must be ${JSON.stringify(id)}`),
    ),
    E.chain(() => decodeType(received, at)),
    E.chain((type) => {
      if (type === 'refusal') return E.right(changeMembers(received, [], ['name']))
      const asked = answerType[question.type]
      return type === asked
        ? readValue(received, question, at)
        : E.left(invalidResponse(formatLoc([...at, 'type']), `must be "${asked}"`))
    }),
  )

const readValue = (received: Json, question: Question, at: Loc): E.Either<Failure, Json> => {
  switch (question.type) {
    case 'noul':
      return pipe(
        decodeFields(predicate, received, at),
        E.map(({ probability }) => [
          replace('type', 'noul'),
          { from: 'probability', to: 'noul', value: probability },
        ]),
        E.map((changes) => changeMembers(received, changes, ['name'])),
      )
    case 'choice':
      return pipe(
        decodeFields(choice, received, at),
        E.map(({ probabilities = [] }) =>
          probabilities.map(({ value, probability }) => [stringOf(value), probability] as const),
        ),
        E.map((shares) =>
          changeMembers(received, [replace('probabilities', tableOf(shares))], ['name']),
        ),
      )
    case 'score':
      return pipe(
        decodeFields(score, received, at),
        E.map(({ probabilities = [] }) =>
          probabilities.map(
            ({ value, probability }) => [String(numberOf(value)), probability] as const,
          ),
        ),
        E.map((shares) =>
          changeMembers(
            received,
            [replace('legend', legendOf(question)), replace('probabilities', tableOf(shares))],
            ['name'],
          ),
        ),
      )
    case 'other':
      return E.right(received)
  }
}

const replace = (name: string, value: Draft): Change => ({ from: name, to: name, value })

/** Probabilities by label or index, in the service's order; of one given twice the last counts. D13 */
const tableOf = (shares: ReadonlyArray<readonly [string, Json]>): Entries =>
  new Entries(new Map(shares))
