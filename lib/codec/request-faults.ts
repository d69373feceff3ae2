import * as E from 'fp-ts/Either'
import { type Json, kindOf, member, members } from '../json/json'
import { mostFaults } from './combinators'
import { type Fault, type FaultType, faultsOf, type Loc } from './fault'
import { Question } from './question'
import { AskRequest, requestFaults } from './request'

/** One fault in the answer to a bad request: an entry of `detail` in its list form. D37 */
export interface DetailEntry {
  /** Begins with `body`. */
  readonly loc: Loc
  readonly msg: string
  readonly type: FaultType
}

/** Reads a request and checks it as it is checked before sending. Gives all its faults, up to 1,000. D37 */
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

/** In a document with unreadable parts: the faults of the questions that can be read. */
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
