import * as E from 'fp-ts/Either'
import { type Json, kindOf, member, members } from '../json/json'
import { mostFaults } from './combinators'
import { type Fault, type FaultType, faultsOf, type Loc } from './fault'
import { Question } from './question'
import { AskRequest, requestFaults } from './request'

/** An entry of the list form of `detail`. D37 */
export interface DetailEntry {
  /** Begins with `body`. */
  readonly loc: Loc
  readonly msg: string
  readonly type: FaultType
}

/** Reads and checks a request as a whole, with every fault it has, up to 1,000 of them. D37 */
export const decodeChecked = (document: Json): E.Either<ReadonlyArray<DetailEntry>, AskRequest> => {
  const request = AskRequest.decode(document)
  const faults = E.isRight(request)
    ? requestFaults(request.right.questions)
    : [...faultsOf(request.left), ...checkReadable(document)]
  return E.isRight(request) && faults.length === 0
    ? E.right(request.right)
    : E.left(faults.slice(0, mostFaults).map(entryOf))
}

const entryOf = ({ loc, message, type }: Fault): DetailEntry => ({
  loc: ['body', ...loc],
  msg: message,
  type,
})

/** The check of those questions that can be read, in a document that cannot be as a whole. */
const checkReadable = (document: Json): ReadonlyArray<Fault> => {
  const questions = kindOf(document) === 'object' ? member(document, 'questions') : undefined
  if (questions === undefined || kindOf(questions) !== 'object') return []
  const list = members(questions)
  const readable = list.flatMap(({ key, value }) => {
    const question = Question.decode(value)
    return E.isRight(question) ? [[key, question.right] as const] : []
  })
  return readable.length === 0 && list.length > 0 ? [] : requestFaults(readable)
}
