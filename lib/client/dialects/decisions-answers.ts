import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
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
  decodeFields,
  decodeOwnForm,
  decodeType,
  legendOf,
  type ReadAnswer,
  replyMembers,
} from './answers'
import type { Dialect } from './dialect'

const body = object({ answers: array(json) }, replyMembers)

/** Reads the answers, which come in the order of the questions. */
export const decodeDecisionsResponse: Dialect['decodeResponse'] = (asked, reply) => {
  const { questions } = asked.request
  return pipe(
    decodeResponseBody(body)(reply.body),
    E.filterOrElse(
      ({ answers }) => answers.length === questions.length,
      ({ answers }) =>
        invalidResponse(
          'answers',
          `must have one answer for each of ${questions.length} questions, has ${answers.length}`,
        ),
    ),
    E.chain((received) =>
      pipe(
        received.answers.map((answer, index): ReadAnswer => {
          const [id, question] = questions[index] as (typeof questions)[number]
          return [id, readAnswer(answer, id, question, ['answers', index])]
        }),
        collectAnswers,
        E.map((answers) => completeResponse(asked, reply, received, answers)),
      ),
    ),
  )
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

/** The type of the answer to a question in this dialect. */
const answerType: Readonly<Record<RequestQuestion['type'], string>> = {
  noul: 'predicate',
  choice: 'choice',
  score: 'score',
  other: '',
}

/** Reads one answer. One that carries a name must carry that of its question. */
const readAnswer = (
  received: JsonValue,
  id: string,
  question: RequestQuestion,
  at: Loc,
): E.Either<Failure, ReceivedAnswer> =>
  pipe(
    decodeFields(named, received, at),
    E.filterOrElse(
      ({ name }) => name === undefined || name === id,
      () => invalidResponse(formatLoc([...at, 'name']), `must be ${JSON.stringify(id)}`),
    ),
    E.chain(() => decodeType(received, at)),
    E.chain((type) => {
      if (type === 'refusal') return E.right([])
      const wanted = answerType[question.type]
      return type === wanted
        ? readValue(received, question, at)
        : E.left(invalidResponse(formatLoc([...at, 'type']), `must be "${wanted}"`))
    }),
    E.chain((changes) =>
      decodeOwnForm(changeMembers(membersIn(received), changes, ['name']), question, at),
    ),
  )

/** The members of an answer that svc's own form writes otherwise. */
const readValue = (
  received: JsonValue,
  question: RequestQuestion,
  at: Loc,
): E.Either<Failure, ReadonlyArray<Change>> => {
  switch (question.type) {
    case 'noul':
      return pipe(
        decodeFields(predicate, received, at),
        E.map(
          ({ probability }): ReadonlyArray<Change> => [
            ['type', 'noul'],
            ['probability', probability, 'noul'],
          ],
        ),
      )
    case 'choice':
      return pipe(
        decodeFields(choice, received, at),
        E.map(({ probabilities }) => [['probabilities', tableOf(probabilities)]]),
      )
    case 'score':
      return pipe(
        decodeFields(score, received, at),
        E.map(
          ({ probabilities }): ReadonlyArray<Change> => [
            ['legend', legendOf(question)],
            ['probabilities', tableOf(probabilities)],
          ],
        ),
      )
    case 'other':
      return E.right([])
  }
}

/** A probability, and the label or index that has it. */
interface Share {
  readonly value: string | Literal
  readonly probability: Literal
}

/** Probabilities by label or index, in the service's order; of one given twice the last counts. */
const tableOf = (shares: ReadonlyArray<Share> = []): ReadonlyMap<string, Draft> =>
  new Map<string, Draft>(
    new Map(shares.map(({ value, probability }) => [keyOf(value), probability])),
  )

const keyOf = (value: string | Literal): string =>
  value instanceof Literal ? String(numberOf(value)) : value
