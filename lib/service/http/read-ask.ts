import * as E from 'fp-ts/Either'
import type { Question } from '../../codec/question'
import { decodeAndCheck } from '../../codec/request-faults'
import { countValues, type Json, kindOf, memberIn, membersOf } from '../../json/json'
import { largestDocument, parseJson } from '../../json/parse'
import type { CheckedQuestion } from '../contract/engine'
import { faulty, invalidJson, type Problem, tooMuch } from '../contract/problem'
import { answerBytes } from './answer-size'

/** A request document that passed all checks. */
export interface CheckedAsk {
  /**
   * The model that the document names; `undefined` where it names none or an empty one, which means the latest.
   */
  readonly model: string | undefined
  readonly state: Json
  readonly questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>
}

/**
 * The most JSON values that a document may hold outside its state. Decoded, they take up to fifty times their
 * size in memory, so a large document made of questions alone would cost far more than one caller may.
 */
const mostValues = 50_000

/** The most questions of a request. D80 */
const mostQuestions = 1000

/**
 * Reads and checks a request document. Fails with 400 where it is not JSON, and with 422 where it is faulty or
 * too large to answer. D37, D68, D80
 */
export const readAsk = (body: Uint8Array): E.Either<Problem, CheckedAsk> => {
  const parsed = parseJson(body)
  if (E.isLeft(parsed)) return E.left(invalidJson(`invalid request JSON: ${parsed.left.message}`))
  if (hasTooManyValues(parsed.right))
    return E.left(tooMuch(['body'], `a request may hold ${mostValues} values beside its state`))
  if (hasTooManyQuestions(parsed.right))
    return E.left(tooMuch(['body', 'questions'], `a request may hold ${mostQuestions} questions`))
  const checked = decodeAndCheck(parsed.right)
  if (E.isLeft(checked)) return E.left(faulty(checked.left))
  const { model, state } = checked.right
  const questions = checked.right.questions.map(
    ([id, question]) => [id, withCriteria(question)] as const,
  )
  const bytes = answerBytes(questions)
  if (bytes > largestDocument) {
    const message = `the answer could have ${bytes} bytes; ${largestDocument} are the most`
    return E.left(tooMuch(['body', 'questions'], message))
  }
  return E.right({ model: model === '' ? undefined : model, state, questions })
}

const hasTooManyValues = (document: Json): boolean => {
  // Every value takes a byte.
  if (document.end - document.start <= mostValues) return false
  const state = memberIn(document, 'state')
  return countValues(document) - (state === undefined ? 0 : countValues(state)) > mostValues
}

const hasTooManyQuestions = (document: Json): boolean => {
  const questions = memberIn(document, 'questions')
  return (
    questions !== undefined &&
    kindOf(questions) === 'object' &&
    membersOf(questions).length > mostQuestions
  )
}

/** `decodeAndCheck` has refused any choice or score without criteria; the empty lists only satisfy the type. */
const withCriteria = (question: Question): CheckedQuestion => {
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
