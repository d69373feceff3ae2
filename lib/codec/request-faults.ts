import * as E from 'fp-ts/Either'
import { cutWithEllipsis } from '../text/sanitize'
import { maxFaults } from './combinators'
import { type Fault, type FaultType, faultsOf, type Loc, maxNameBytes } from './fault'
import { isObject, type JsonValue, memberIn } from './json/json'
import { type RequestQuestion, requestQuestionDecoder } from './question'
import { type AskRequest, askRequestDecoder, findRequestFaults } from './request'

/** An entry of `detail` in the service's response to an invalid request. */
export interface DetailEntry {
  /** The path, which begins with `body`. Names are cut to 100 bytes. */
  readonly loc: Loc
  readonly msg: string
  /** The kind of the fault. `more` marks the last entry, which counts the faults that are not listed. */
  readonly type: FaultType | 'more'
}

const maxListedFaults = 20

/** Decodes a request and checks its questions. Fails with the entries of `listFaults`. */
export const decodeAndCheckRequest = (
  document: JsonValue,
): E.Either<ReadonlyArray<DetailEntry>, AskRequest> => {
  const request = askRequestDecoder.decode(document)
  const faults = E.isRight(request)
    ? findRequestFaults(request.right.questions)
    : [...faultsOf(request.left), ...findFaultsOfDecodableQuestions(document)]
  return E.isRight(request) && faults.length === 0 ? request : E.left(listFaults(faults))
}

/** Lists the first 20 faults, and an entry with the number of further faults if there are any. */
export const listFaults = (faults: ReadonlyArray<Fault>): ReadonlyArray<DetailEntry> => {
  const first = faults.slice(0, maxListedFaults).map(createEntry)
  const more = faults.length - first.length
  if (more === 0) return first
  // The search for faults stops at `maxFaults`, so there may be more.
  const count = faults.length < maxFaults ? `${more}` : `at least ${more}`
  const msg = more === 1 ? '1 more fault' : `${count} more faults`
  return [...first, { loc: ['body'], msg, type: 'more' }]
}

const createEntry = ({ loc, message, type }: Fault): DetailEntry => ({
  loc: [
    'body',
    ...loc.map((part) => (typeof part === 'string' ? cutWithEllipsis(part, maxNameBytes) : part)),
  ],
  msg: message,
  type,
})

/** Finds the faults of the questions that can be decoded, in a document that cannot be decoded as a whole. */
const findFaultsOfDecodableQuestions = (document: JsonValue): ReadonlyArray<Fault> => {
  const questions = memberIn(document, 'questions')
  if (!isObject(questions)) return []
  const decodable: Array<readonly [id: string, question: RequestQuestion]> = []
  for (const [id, value] of questions) {
    const question = requestQuestionDecoder.decode(value)
    if (E.isRight(question)) decodable.push([id, question.right])
  }
  // Without this check, `findRequestFaults` would report that there are no questions.
  if (decodable.length === 0 && questions.size > 0) return []
  return findRequestFaults(decodable)
}
