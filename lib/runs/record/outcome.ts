import * as E from 'fp-ts/Either'
import { type Answer, answerDecoder } from '../../codec/answer'
import { mapOf, number, string } from '../../codec/combinators'
import { type Fault, firstFault, formatLoc, maxNameBytes } from '../../codec/fault'
import { isObject, type JsonValue, memberIn } from '../../codec/json/json'
import { object } from '../../codec/object'
import { createUsageDecoder, noUsage } from '../../codec/response'
import { cutWithEllipsis } from '../../text/sanitize'
import { convertUsage, maxQuestions, type RecordedUsage } from './record'

/** The outcome of a row that was answered. */
export interface Answered {
  readonly model: string
  readonly answers: ReadonlyMap<string, Answer>
  readonly usage: RecordedUsage
  /** `passed` is `true` if the answers met the requirements of the run. `undefined` without requirements. */
  readonly gate: { readonly passed: boolean } | undefined
}

/** The outcome of a row that failed. */
export interface Failed {
  readonly error: ErrorObject
}

/** The `error` of a record or of an error document that svc prints. */
export interface ErrorObject {
  readonly kind: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly message: string
}

/** Returns `true` if the row has answers, and `false` if it has an error. */
export const isAnswered = (outcome: Answered | Failed): outcome is Answered => 'answers' in outcome

/** Decodes the outcome of a row from its whole record. Fails with the message of the first fault. */
export const decodeOutcome = (document: JsonValue): E.Either<string, Answered | Failed> => {
  const error = memberIn(document, 'error')
  return error === undefined ? decodeAnswered(document) : decodeFailed(error)
}

const ErrorDocument = object(
  { kind: string, message: string },
  { status: number, request_id: string },
)

const decodeFailed = (error: JsonValue): E.Either<string, Failed> => {
  const decoded = ErrorDocument.decode(error)
  if (E.isLeft(decoded)) return E.left('"error" must be an object with "kind" and "message"')
  const { kind, status, request_id: requestId, message } = decoded.right
  return E.right({ error: { kind, status, requestId, message } })
}

const AnsweredDocument = object(
  { model: string, answers: mapOf(answerDecoder) },
  { usage: createUsageDecoder('input_tokens', 'output_tokens') },
)

const decodeAnswered = (document: JsonValue): E.Either<string, Answered> => {
  // Checked before decoding, because the message must name both possible members.
  if (!isObject(memberIn(document, 'answers')))
    return E.left('neither "answers" nor "error" is an object')
  const decoded = AnsweredDocument.decode(document)
  if (E.isLeft(decoded)) return E.left(describeFault(firstFault(decoded.left)))
  const { size } = decoded.right.answers
  if (size > maxQuestions)
    return E.left(`has answers to ${size} questions, and svc takes at most ${maxQuestions}`)
  const gate = memberIn(document, 'gate')
  const passed = memberIn(gate, 'passed')
  if (gate !== undefined && typeof passed !== 'boolean') return E.left('"gate" must have "passed"')
  const { model, answers, usage = noUsage } = decoded.right
  return E.right({
    model,
    answers,
    usage: convertUsage(usage),
    gate: typeof passed === 'boolean' ? { passed } : undefined,
  })
}

/** Describes a fault. Cuts the names in its path, because they may be almost as long as the record. */
const describeFault = ({ loc, message }: Fault): string => {
  const shownLoc = loc.map((part) =>
    typeof part === 'string' ? cutWithEllipsis(part, maxNameBytes) : part,
  )
  return `${formatLoc(shownLoc)}: ${message}`
}
