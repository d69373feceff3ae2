import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import type { Question } from '../../codec/question'
import { decodeChecked } from '../../codec/request-faults'
import { countValues } from '../../json/count'
import { type Json, kindOf, member } from '../../json/json'
import { largestDocument } from '../../json/largest-document'
import { parseJson } from '../../json/parse'
import type { EngineQuestion, EngineRequest } from '../engines/engine'
import { faulty, invalidJson, type Problem, tooMuch } from '../problem'
import { answerBytes } from './answer-size'

/** A request document that can be answered. */
export interface CheckedAsk {
  /** As the document names it; `undefined` where the name is absent or empty, which means the latest. */
  readonly model: string | undefined
  readonly request: EngineRequest
}

/**
 * The most values that a document may hold beside its state. What is read of them takes up to fifty times their bytes in
 * memory, which a document of nothing but questions would take far beyond what one caller may cost the service.
 */
const mostValues = 50_000

/**
 * Reads and checks a request document: 400 for what is no JSON, 422 with its faults, and for one that asks for too much.
 * D37, D68
 */
export const readAsk = (body: Uint8Array): E.Either<Problem, CheckedAsk> =>
  pipe(
    parseJson(body),
    E.mapLeft(({ message }) => invalidJson(`invalid request JSON: ${message}`)),
    E.filterOrElse(
      (document) => valuesBesideState(document) <= mostValues,
      () => tooMuch(['body'], `a request may hold ${mostValues} values beside its state`),
    ),
    E.chain((document) => pipe(decodeChecked(document), E.mapLeft(faulty))),
    E.map(
      ({ model, state, questions }): CheckedAsk => ({
        model: model === '' ? undefined : model,
        request: { state, questions: questions.map(([id, question]) => [id, forEngine(question)]) },
      }),
    ),
    E.filterOrElse(
      ({ request }) => answerBytes(request) <= largestDocument,
      ({ request }) =>
        tooMuch(
          ['body', 'questions'],
          `the answer could have ${answerBytes(request)} bytes; ${largestDocument} are the most`,
        ),
    ),
  )

const valuesBesideState = (document: Json): number => {
  const state = kindOf(document) === 'object' ? member(document, 'state') : undefined
  return countValues(document) - (state === undefined ? 0 : countValues(state))
}

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
