import * as E from 'fp-ts/Either'
import type { Question } from '../codec/question'
import type { AskRequest } from '../codec/request'
import { decodeChecked } from '../codec/request-faults'
import { parseJson } from '../json/parse'
import type { AnswerShape } from './answers'
import type { EngineQuestion, EngineRequest } from './engine'
import { faulty, invalidJson, type Problem } from './problem'

/** A request document that can be answered. */
export interface CheckedAsk {
  /** As the document names it; absent and empty mean the latest. */
  readonly model: string | undefined
  readonly request: EngineRequest
  /** What the answers are made of, by question. */
  readonly shapes: ReadonlyArray<AnswerShape & { readonly id: string }>
}

/** Reads and checks a request document; 400 for what is no JSON, 422 with every fault. D37 */
export const readAsk = (body: Buffer): E.Either<Problem, CheckedAsk> => {
  const document = parseJson(body)
  if (E.isLeft(document)) {
    return E.left(invalidJson(`invalid request JSON: ${document.left.message}`))
  }
  const request = decodeChecked(document.right)
  return E.isLeft(request) ? E.left(faulty(request.left)) : E.right(checked(request.right))
}

const checked = (request: AskRequest): CheckedAsk => ({
  model: request.model === '' ? undefined : request.model,
  request: {
    state: request.state,
    questions: request.questions.map(([id, question]) => [id, forEngine(question)] as const),
  },
  shapes: request.questions.map(([id, question]) => ({ id, ...shapeOf(question) })),
})

/** Criteria are there: the check refuses a choice or score without. */
const forEngine = (question: Question): EngineQuestion => {
  switch (question.type) {
    case 'choice':
      return { ...question, criteria: question.criteria ?? [] }
    case 'score':
      return { ...question, criteria: question.criteria ?? [] }
    default:
      return question
  }
}

/** A type outside the three never gets to an answer that the service writes. */
const shapeOf = (question: Question): AnswerShape => {
  switch (question.type) {
    case 'choice':
      return { type: 'choice', labels: (question.criteria ?? []).map(([label]) => label) }
    case 'score':
      return { type: 'score', levels: question.criteria ?? [] }
    default:
      return { type: 'noul' }
  }
}
