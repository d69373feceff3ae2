import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Question } from '../../codec/question'
import { decodeChecked } from '../../codec/request-faults'
import { parseJson } from '../../json/parse'
import type { EngineQuestion, EngineRequest } from '../engines/engine'
import { faulty, invalidJson, type Problem } from '../problem'

/** A request document that can be answered. */
export interface CheckedAsk {
  /** As the document names it; `undefined` where the name is absent or empty, which means the latest. */
  readonly model: string | undefined
  readonly request: EngineRequest
}

/** Reads and checks a request document: 400 for what is no JSON, 422 with every fault. D37 */
export const readAsk = (body: Uint8Array): E.Either<Problem, CheckedAsk> =>
  pipe(
    parseJson(body),
    E.mapLeft(({ message }) => invalidJson(`invalid request JSON: ${message}`)),
    E.chain((document) => pipe(decodeChecked(document), E.mapLeft(faulty))),
    E.map(({ model, state, questions }) => ({
      model: model === '' ? undefined : model,
      request: { state, questions: questions.map(([id, question]) => [id, forEngine(question)]) },
    })),
  )

/** The criteria of a choice or score are there: the check refuses one without. */
const forEngine = (question: Question): EngineQuestion => {
  switch (question.type) {
    case 'choice':
      return { ...question, criteria: question.criteria ?? [] }
    case 'score':
      return { ...question, criteria: question.criteria ?? [] }
    case 'noul':
    case 'other':
      return question
  }
}
