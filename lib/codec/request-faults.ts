import * as E from 'fp-ts/Either'
import { cutTo } from '../failure/text/cut'
import { maxFaults } from './combinators'
import { type Fault, type FaultType, faultsOf, type Loc, maxNameBytes } from './fault'
import { type JsonValue, memberIn } from './json/json'
import { RequestQuestion } from './question'
import { AskRequest, findRequestFaults } from './request'

/** An entry of `detail` in the response to a faulty request. */
export interface DetailEntry {
  /** The place, which begins with `body`. Names are cut to 100 bytes. */
  readonly loc: Loc
  readonly msg: string
  /** The kind of the fault; `more` for the entry that says how many faults are not listed. */
  readonly type: FaultType | 'more'
}

const maxListed = 20

/**
 * Decodes a request and checks it as the client does before sending. Fails with the first 20 faults, followed
 * by an entry that counts the others.
 */
export const decodeAndCheck = (
  document: JsonValue,
): E.Either<ReadonlyArray<DetailEntry>, AskRequest> => {
  const request = AskRequest.decode(document)
  const faults = E.isRight(request)
    ? findRequestFaults(request.right.questions)
    : addReadable(faultsOf(request.left), document)
  return E.isRight(request) && faults.length === 0
    ? E.right(request.right)
    : E.left(listFaults(faults))
}

/** Lists faults for a caller: the first 20, followed by an entry that counts the others, of thousands only a part. */
export const listFaults = (faults: ReadonlyArray<Fault>): ReadonlyArray<DetailEntry> => {
  const first = faults.slice(0, maxListed).map(entryOf)
  const more = faults.length - first.length
  if (more === 0) return first
  const count = faults.length < maxFaults ? `${more}` : `at least ${more}`
  const msg = more === 1 ? '1 more fault' : `${count} more faults`
  return [...first, { loc: ['body'], msg, type: 'more' }]
}

const entryOf = ({ loc, message, type }: Fault): DetailEntry => ({
  loc: [
    'body',
    ...loc.map((part) => (typeof part === 'string' ? cutTo(part, maxNameBytes) : part)),
  ],
  msg: message,
  type,
})

/** Adds the faults of those questions that can be decoded, unless there are more than are counted. */
const addReadable = (faults: ReadonlyArray<Fault>, document: JsonValue): ReadonlyArray<Fault> =>
  faults.length < maxFaults ? [...faults, ...checkReadable(document)] : faults

/** The faults of those questions that can be decoded, in a document of which other parts cannot. */
const checkReadable = (document: JsonValue): ReadonlyArray<Fault> => {
  const questions = memberIn(document, 'questions')
  if (!(questions instanceof Map)) return []
  const readable: Array<readonly [id: string, question: RequestQuestion]> = []
  for (const [id, value] of questions) {
    const question = RequestQuestion.decode(value)
    if (E.isRight(question)) readable.push([id, question.right])
  }
  return readable.length === 0 && questions.size > 0 ? [] : findRequestFaults(readable)
}
