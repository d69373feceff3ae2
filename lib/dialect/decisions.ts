import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { decodeAnyModels } from '../codec/models'
import type { Noul, Question } from '../codec/question'
import type { Failure } from '../failure/failure'
import { type Draft, Entries } from '../json/draft'
import type { Json } from '../json/json'
import { checkSayable, contentText, extraMembers, readContent } from './contents'
import { readResponse } from './decisions-answers'
import type { Asked, Dialect } from './dialect'
import { readFailure } from './failures'

/** Writes the state as one text, and the questions as a list in which each has its id as its name. P7 */
const writeRequest = (asked: Asked): E.Either<Failure, Draft> =>
  pipe(
    checkSayable(asked, ['input']),
    E.map(() => {
      const { request, model } = asked
      return new Entries([
        ['model', model],
        ['input', contentText(request.state)],
        ['questions', request.questions.map(([id, question]) => writeQuestion(id, question))],
        ...extraMembers(request),
      ])
    }),
  )

const writeQuestion = (id: string, question: Question): Draft => {
  switch (question.type) {
    case 'noul':
      return { type: 'predicate', name: id, instructions: foldCriteria(question) }
    case 'choice':
      return {
        ...{ type: 'choice', name: id, instructions: instructionsOf(question) },
        choices: (question.criteria ?? []).map(([value, description]) => ({
          value,
          description: description === null ? undefined : contentText(description),
        })),
      }
    case 'score':
      return {
        ...{ type: 'score', name: id, instructions: instructionsOf(question) },
        levels: (question.criteria ?? []).map((level) => ({ label: contentText(level) })),
      }
    case 'other':
      return question.raw
  }
}

/** `checkSayable` has found that there are instructions. */
const instructionsOf = ({ instructions }: { readonly instructions?: Json }): Draft =>
  instructions === undefined ? '' : contentText(instructions)

/** The instructions of a yes/no question, followed by its criteria, for which this dialect has no field. P7 */
const foldCriteria = (question: Noul): Draft => {
  const { instructions, criteria } = question
  const lines = [
    ...(criteria?.true === undefined ? [] : [`Answer yes if: ${readContent(criteria.true)}`]),
    ...(criteria?.false === undefined ? [] : [`Answer no if: ${readContent(criteria.false)}`]),
  ]
  return instructions === undefined || lines.length === 0
    ? instructionsOf(question)
    : `${readContent(instructions)}\n\n${lines.join('\n')}`
}

/** OpenAI's decisions. P1, P7, P8 */
export const decisions: Dialect = {
  name: 'decisions',
  askPath: '/v1/decisions',
  modelsPath: '/v1/models',
  keyHeader: 'Authorization',
  requestIdHeader: 'x-request-id',
  defaultModel: undefined,
  writeRequest,
  readResponse,
  readFailure: (reply, redact) => {
    const trouble = readFailure(reply, redact)
    return reply.status === 409 ? { mayRetry: true, ...trouble } : trouble
  },
  readModels: decodeAnyModels,
}
