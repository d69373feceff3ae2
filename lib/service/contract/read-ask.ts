import * as E from 'fp-ts/Either'
import type { Question } from '../../codec/question'
import { findRightPath } from '../../dialect/serve'
import type { ReadRequest, ServedDialect } from '../../dialect/served'
import { countValues, itemsIn, type Json, kindOf, memberIn, membersOf } from '../../json/json'
import { largestDocument, parseJson } from '../../json/parse'
import { answerBytes } from './answer-size'
import type { CheckedQuestion } from './engine'
import { faulty, invalidJson, type Problem, tooMuch, wrongRoute } from './problem'

/** A request document that passed all checks. */
export interface CheckedAsk {
  /**
   * The model that the document names; `undefined` where it names none or an empty one, which means the latest.
   */
  readonly model: string | undefined
  readonly state: Json
  readonly questions: ReadonlyArray<readonly [id: string, question: CheckedQuestion]>
  /** All other members of the document. */
  readonly extra: ReadRequest['request']['extra']
  readonly writeResponse: ReadRequest['writeResponse']
}

/**
 * The most JSON values that a document may hold outside its state. Decoded, they take up to fifty times their
 * size in memory, so a large document made of questions alone would cost far more than one caller may.
 */
const mostValues = 50_000

/**
 * Reads and checks a request document. Fails with 400 where it is not JSON or belongs to another route, and with
 * 422 where it is faulty or too large to answer. D37, D68, D80, P12
 */
export const readAsk = (
  dialect: ServedDialect,
  body: Uint8Array,
): E.Either<Problem, CheckedAsk> => {
  const parsed = parseJson(body)
  if (E.isLeft(parsed)) return E.left(invalidJson(`invalid request JSON: ${parsed.left.message}`))
  const { stateMember, mostQuestions } = dialect
  const path = findRightPath(dialect, parsed.right)
  if (path !== undefined) return E.left(wrongRoute(path))
  if (hasTooManyValues(parsed.right, stateMember)) {
    const others = stateMember === undefined ? '' : ` beside its ${stateMember}`
    return E.left(tooMuch(['body'], `a request may hold ${mostValues} values${others}`))
  }
  if (countQuestions(parsed.right) > mostQuestions)
    return E.left(tooMuch(['body', 'questions'], `a request may hold ${mostQuestions} questions`))
  const checked = dialect.readRequest(parsed.right)
  if (E.isLeft(checked)) return E.left(faulty(checked.left))
  const { request, writeResponse } = checked.right
  const { model, state, extra } = request
  const questions = request.questions.map(([id, question]) => [id, withCriteria(question)] as const)
  const bytes = answerBytes(questions)
  if (bytes > largestDocument) {
    const message = `the answer could have ${bytes} bytes; ${largestDocument} are the most`
    return E.left(tooMuch(['body', 'questions'], message))
  }
  return E.right({ model: model || undefined, state, questions, extra, writeResponse })
}

const hasTooManyValues = (document: Json, stateMember: string | undefined): boolean => {
  // Every value takes a byte.
  if (document.end - document.start <= mostValues) return false
  const state = stateMember === undefined ? undefined : memberIn(document, stateMember)
  return countValues(document) - (state === undefined ? 0 : countValues(state)) > mostValues
}

const countQuestions = (document: Json): number => {
  const questions = memberIn(document, 'questions')
  return questions !== undefined && kindOf(questions) === 'object'
    ? membersOf(questions).length
    : itemsIn(questions).length
}

/** Reading the request has refused any choice or score without criteria; the empty lists only satisfy the type. */
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
