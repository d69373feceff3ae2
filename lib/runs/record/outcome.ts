import * as E from 'fp-ts/Either'
import { Answer } from '../../codec/answer'
import { dictionary, number, string } from '../../codec/combinators'
import { type Fault, firstFault, formatLoc, maxNameBytes } from '../../codec/fault'
import { isObject, type JsonValue, memberIn, numberIn, numberOf } from '../../codec/json/json'
import { object } from '../../codec/object'
import { createUsageDecoder, noUsage, type ReceivedUsage } from '../../codec/response'
import { cutTo } from '../../failure/text/cut'

/** The tokens that a response took, and its cost. */
export interface RecordedUsage {
  /** Tokens; null if the service sent no count. */
  readonly input: number | null
  readonly output: number | null
  /** The cost that the service named, in its currency. */
  readonly cost?: number | undefined
}

/** The outcome of a row that was answered. */
export interface Answered {
  readonly model: string
  readonly answers: ReadonlyMap<string, Answer>
  readonly usage: RecordedUsage
  readonly gate: { readonly passed: boolean } | undefined
}

/** The outcome of a row that failed. */
export interface Failed {
  readonly error: ErrorObject
}

/** The `error` of an envelope. */
export interface ErrorObject {
  readonly kind: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly message: string
}

/** Returns `true` if a record holds answers. */
export const isAnswered = (outcome: Answered | Failed): outcome is Answered => 'answers' in outcome

/** Decodes the outcome of a row from its whole record. Fails with the first fault. */
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
  { model: string, answers: dictionary(Answer) },
  { usage: createUsageDecoder('input_tokens', 'output_tokens') },
)

/** The maximum of questions that a record may have answers to. */
export const maxQuestions = 1000

const decodeAnswered = (document: JsonValue): E.Either<string, Answered> => {
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

/** Converts the token counts of a response, and the cost if it is a number from 0. */
export const convertUsage = ({ usage, usageDetails }: ReceivedUsage): RecordedUsage => {
  const cost = numberIn(usageDetails?.get('cost'))
  return {
    input: usage.input_tokens && numberOf(usage.input_tokens),
    output: usage.output_tokens && numberOf(usage.output_tokens),
    cost: cost !== undefined && cost >= 0 ? cost : undefined,
  }
}

/** Describes a fault. Names in it are cut, since they may be as long as the record. */
const describeFault = ({ loc, message }: Fault): string => {
  const shownLoc = loc.map((part) => (typeof part === 'string' ? cutTo(part, maxNameBytes) : part))
  return `${formatLoc(shownLoc)}: ${message}`
}
