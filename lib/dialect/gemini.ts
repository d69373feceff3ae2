import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import { decodeAnyModels } from '../codec/models'
import type { Question } from '../codec/question'
import type { Failure } from '../failure/failure'
import { type Draft, Entries } from '../json/draft'
import { type Json, kindOf, memberIn } from '../json/json'
import { parseJson } from '../json/parse'
import type { Redact } from '../text/redact'
import { checkSayable, contentText, extraMembers } from './contents'
import type { Asked, Dialect, FailedReply, Trouble } from './dialect'
import { readFailure } from './failures'
import { readResponse, withWireIds } from './gemini-answers'

/** Writes the state as one text, and the questions by ids that Gemini takes. P7 */
const writeRequest = (asked: Asked): E.Either<Failure, Draft> =>
  pipe(
    checkSayable(asked, ['input']),
    E.map(() => {
      const { request, model } = asked
      const questions = withWireIds(request)
      return new Entries([
        ['model', model],
        ['input', contentText(request.state)],
        ['questions', new Entries(questions.map(([id, , q]) => [id, writeQuestion(q)] as const))],
        ...extraMembers(request),
      ])
    }),
  )

const writeQuestion = (question: Question): Draft => {
  if (question.type === 'other') return question.raw
  const { type } = question
  const instructions = textOrNothing(question.instructions)
  switch (question.type) {
    case 'noul': {
      const { criteria } = question
      const given = criteria?.true !== undefined || criteria?.false !== undefined
      return {
        ...{ type, instructions },
        criteria: given
          ? {
              true_description: textOrNothing(criteria?.true),
              false_description: textOrNothing(criteria?.false),
            }
          : undefined,
      }
    }
    case 'choice': {
      const labels = (question.criteria ?? []).map(
        ([label, description]) =>
          [label, description === null ? null : contentText(description)] as const,
      )
      return { type, instructions, criteria: new Entries(labels) }
    }
    case 'score':
      return { type, instructions, criteria: (question.criteria ?? []).map(contentText) }
  }
}

const textOrNothing = (content: Json | undefined): Json | undefined =>
  content && contentText(content)

/** Reads a failure. A 400 that reports a block is the answer to every question. P9, P10 */
const readFailureOrBlock = (reply: FailedReply, redact: Redact): Trouble => {
  const trouble = readFailure(reply, redact)
  const document = parseJson(reply.body)
  const block = E.isRight(document) ? memberIn(document.right, 'prompt_feedback') : undefined
  const isBlock = reply.status === 400 && block !== undefined && kindOf(block) === 'object'
  return isBlock ? { ...trouble, isAnswer: true } : trouble
}

/** Gemini's decisions. P1, P7, P8 */
export const gemini: Dialect = {
  name: 'gemini',
  askPath: '/v1beta/decisions',
  modelsPath: '/v1beta/models',
  keyHeader: 'x-goog-api-key',
  requestIdHeader: '',
  defaultModel: undefined,
  writeRequest,
  readResponse,
  readFailure: readFailureOrBlock,
  readModels: decodeAnyModels,
}
