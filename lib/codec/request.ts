import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { type Failure, usage, validation } from '../failure/failure'
import {
  anyObject,
  createDecoder,
  type Decoder,
  json,
  maxFaults,
  pairsOf,
  string,
} from './combinators'
import { compareCodePoints, contextOf, type Fault, firstFault, formatLoc, type Loc } from './fault'
import type { Draft } from './json/draft'
import type { JsonObject, JsonValue } from './json/json'
import { parseJson } from './json/parse'
import { errorsOf } from './object'
import {
  checkQuestion,
  encodeQuestion,
  type RequestQuestion,
  requestQuestionDecoder,
} from './question'

/** The body of the ask operation. */
export interface AskRequest {
  readonly state: JsonValue
  /** The questions in document order. Ids are unique. */
  readonly questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>
  /** The model in the document. It may be `''`. */
  readonly model?: string
  /** All other top-level members, which are forwarded unchanged. */
  readonly extra: JsonObject
}

/** A request without its state: the questions that are asked about several states. */
export type Template = Omit<AskRequest, 'state'>

const questionsDecoder = pairsOf(requestQuestionDecoder)

/** The top-level members that svc knows. All others are `extra`. */
const knownMembers: ReadonlyArray<string> = ['state', 'questions', 'model']

/**
 * Decodes all members except `state`. Reports first a wrong type of `questions`, then `model`, then each question. It does not use
 * `object`, which would accept null as `model`.
 */
const templateDecoder = createDecoder<Template>('a request without state', (value, context) => {
  const document = anyObject.validate(value, context)
  if (E.isLeft(document)) return document
  const members = document.right
  const decodeMember = <A>(name: string, decoder: Decoder<A>): t.Validation<A> => {
    const member = members.get(name)
    return decoder.validate(member, contextOf(context, name, decoder, member))
  }
  const questionsObject = decodeMember('questions', anyObject)
  const model = members.has('model') ? decodeMember('model', string) : t.success(undefined)
  const questions = E.isRight(questionsObject)
    ? decodeMember('questions', questionsDecoder)
    : t.success([])
  const extra = new Map([...members].filter(([name]) => !knownMembers.includes(name)))
  return E.isRight(questionsObject) && E.isRight(model) && E.isRight(questions)
    ? t.success({ questions: questions.right, model: model.right, extra })
    : E.left([questionsObject, model, questions].flatMap(errorsOf))
})

/** A decoder of request documents. It reports a fault of `state` first. It does not find the faults that `findRequestFaults` finds. */
export const askRequestDecoder = createDecoder<AskRequest>('a request', (value, context) => {
  const document = anyObject.validate(value, context)
  if (E.isLeft(document)) return document
  const member = document.right.get('state')
  const state = json.validate(member, contextOf(context, 'state', json, member))
  const template = templateDecoder.validate(value, context)
  return E.isRight(state) && E.isRight(template)
    ? t.success({ ...template.right, state: state.right })
    : E.left([state, template].flatMap(errorsOf))
})

/** Encodes the `questions` of a request. */
export const encodeQuestions = (questions: AskRequest['questions']): Draft =>
  new Map(questions.map(([id, question]) => [id, encodeQuestion(question)]))

/** Decodes the request document of `svc ask`. Fails with a usage error. */
export const decodeRequest = (bytes: Uint8Array): E.Either<Failure, AskRequest> => {
  const document = parseDocument(bytes)
  if (E.isLeft(document)) return document
  return pipe(askRequestDecoder.decode(document.right), E.mapLeft(toUsageFailure))
}

/** Decodes a request document without its state. Fails with a usage error. */
export const decodeTemplate = (document: JsonValue): E.Either<Failure, Template> =>
  pipe(templateDecoder.decode(document), E.mapLeft(toUsageFailure))

/** Parses the text of a request document. Fails with a usage error. */
export const parseDocument = (bytes: Uint8Array): E.Either<Failure, JsonValue> => {
  const document = parseJson(bytes)
  return E.isRight(document)
    ? document
    : E.left(usage(`invalid request JSON: ${document.left.message}`))
}

const toUsageFailure = (errors: t.Errors): Failure => usage(describeFault(firstFault(errors)))

/** Formats a fault of the decoder as `svc ask` reports it. */
const describeFault = ({ loc, type, message }: Fault): string => {
  const [field, id, ...rest] = loc
  if (field === undefined) return `invalid request JSON: the document ${message}`
  if (id === undefined)
    return type === 'missing'
      ? `invalid request: "${field}" is required`
      : `invalid request: ${field}: ${message}`
  const prefix = `invalid request: questions.${id}`
  if (rest.length === 0) return `${prefix}: ${message}`
  // The wording of Go's package encoding/json.
  if (type === 'unknown_field') return `${prefix}: json: ${message}`
  if (rest[0] !== 'type') return `${prefix}: ${formatLoc(rest)} ${message}`
  return type === 'empty'
    ? `${prefix}.type: ${message}`
    : `${prefix}: must be an object with a "type"`
}

/**
 * Finds faults that the decoder does not find: no questions, empty ids, too few or too many labels or levels, and contents of the
 * wrong type. Stops after `maxFaults`.
 */
export const findRequestFaults = (
  questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
): ReadonlyArray<Fault> => {
  const loc: Loc = ['questions']
  if (questions.length === 0)
    return [{ loc, type: 'too_short', message: 'at least one question is required' }]
  const faults: Fault[] = []
  if (questions.some(([id]) => id === ''))
    faults.push({ loc, type: 'empty', message: 'question ids must not be empty' })
  for (const [id, question] of [...questions].sort(([a], [b]) => compareCodePoints(a, b))) {
    if (faults.length >= maxFaults) break
    for (const fault of checkQuestion(question))
      faults.push({ ...fault, loc: [...loc, id, ...fault.loc] })
  }
  return faults
}

/** Checks the questions of a request just before sending. Fails with a validation error about the first fault. */
export const checkRequest = (request: Pick<AskRequest, 'questions'>): E.Either<Failure, void> => {
  const [first] = findRequestFaults(request.questions)
  return first === undefined
    ? E.right(undefined)
    : E.left(validation(formatLoc(first.loc), first.message))
}

/** Encodes a request. `modelMember` is the member that names the model, or empty if the document has none. */
export const encodeRequest = (
  request: AskRequest,
  modelMember: ReadonlyArray<readonly ['model', string]>,
): Draft =>
  new Map<string, Draft>([
    ...modelMember,
    ['state', request.state],
    ['questions', encodeQuestions(request.questions)],
    ...request.extra,
  ])
