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
  record,
  string,
} from './combinators'
import { compareCodePoints, contextOf, type Fault, firstFault, formatLoc, type Loc } from './fault'
import type { Draft } from './json/draft'
import { type JsonObject, type JsonValue, memberIn } from './json/json'
import { parseJson } from './json/parse'
import { errorsOf } from './object'
import { encodeQuestion, RequestQuestion } from './question'
import { checkQuestion } from './question-limits'

/** The body of the ask operation. */
export interface AskRequest {
  readonly state: JsonValue
  /** The questions in document order. Ids are unique. */
  readonly questions: ReadonlyArray<readonly [id: string, question: RequestQuestion]>
  /** The model that the document names, which may be `''`. */
  readonly model?: string
  /** All other top-level members, which are forwarded unchanged. */
  readonly extra: JsonObject
}

const questions = record(RequestQuestion)
const own: ReadonlyArray<string> = ['state', 'questions', 'model']

/** What a request asks, without the state that it asks about. */
export type Template = Omit<AskRequest, 'state'>

/** Decodes what a request asks. Of several faults the kind of `questions` comes first, then `model`. */
const validateTemplate = (value: unknown, context: t.Context): t.Validation<Template> => {
  const opened = anyObject.validate(value, context)
  if (E.isLeft(opened)) return opened
  const members = opened.right
  const field = <A>(name: string, decoder: Decoder<A>): t.Validation<A> =>
    decoder.validate(members.get(name), contextOf(context, name, decoder, members.get(name)))
  const kind = field('questions', anyObject)
  const model = members.has('model') ? field('model', string) : t.success(undefined)
  const asked = E.isRight(kind) ? field('questions', questions) : t.success([])
  const extra = new Map([...members].filter(([name]) => !own.includes(name)))
  return E.isRight(kind) && E.isRight(model) && E.isRight(asked)
    ? t.success({ questions: asked.right, model: model.right, extra })
    : E.left([kind, model, asked].flatMap(errorsOf))
}

/** Decodes a request. A fault of `state` comes before those of the other members. */
const validate = (value: unknown, context: t.Context): t.Validation<AskRequest> => {
  const opened = anyObject.validate(value, context)
  if (E.isLeft(opened)) return opened
  const given = memberIn(opened.right, 'state')
  const state = json.validate(given, contextOf(context, 'state', json, given))
  const template = validateTemplate(value, context)
  return E.isRight(state) && E.isRight(template)
    ? t.success({ ...template.right, state: state.right })
    : E.left([state, template].flatMap(errorsOf))
}

/** Encodes the `questions` of a request. */
export const encodeQuestions = (asked: AskRequest['questions']): Draft =>
  new Map(asked.map(([id, question]) => [id, encodeQuestion(question)]))

/** A decoder of request documents. It finds faults of structure; `checkRequest` finds the others. */
export const AskRequest = createDecoder('a request', validate)

/** Decodes the request document of `svc ask`. Fails with a usage error. */
export const decodeRequest = (bytes: Uint8Array): E.Either<Failure, AskRequest> =>
  pipe(
    parseDocument(bytes),
    E.chain((document) => pipe(AskRequest.decode(document), E.mapLeft(describeErrors))),
  )

/** Decodes a request document without its state. Fails as `decodeRequest` does. */
export const decodeTemplate = (document: JsonValue): E.Either<Failure, Template> =>
  pipe(validateTemplate(document, t.getDefaultContext(json)), E.mapLeft(describeErrors))

/** Parses the text of a request document. Fails with a usage error. */
export const parseDocument = (bytes: Uint8Array): E.Either<Failure, JsonValue> =>
  pipe(
    parseJson(bytes),
    E.mapLeft(({ message }) => usage(`invalid request JSON: ${message}`)),
  )

const describeErrors = (errors: t.Errors): Failure => usage(describeFault(firstFault(errors)))

/** Words a fault of structure. */
const describeFault = ({ loc, type, message }: Fault): string => {
  const [field, id, ...rest] = loc
  if (field === undefined) return `invalid request JSON: the document ${message}`
  if (id === undefined)
    return type === 'missing'
      ? `invalid request: "${field}" is required`
      : `invalid request: ${field}: ${message}`
  const question = `invalid request: questions.${id}`
  if (rest.length === 0) return `${question}: ${message}`
  if (type === 'unknown_field') return `${question}: json: ${message}`
  if (rest[0] !== 'type') return `${question}: ${formatLoc(rest)} ${message}`
  return type === 'empty'
    ? `${question}.type: ${message}`
    : `${question}: must be an object with a "type"`
}

/**
 * The faults of questions that the codec does not find, in the order in which they are reported. Of thousands the first
 * are returned.
 */
export const findRequestFaults = (
  asked: ReadonlyArray<readonly [id: string, question: RequestQuestion]>,
): ReadonlyArray<Fault> => {
  const loc: Loc = ['questions']
  if (asked.length === 0)
    return [{ loc, type: 'too_short', message: 'at least one question is required' }]
  const unnamed = asked.some(([id]) => id === '')
  const found: Array<Fault> = unnamed
    ? [{ loc, type: 'empty', message: 'question ids must not be empty' }]
    : []
  for (const [id, question] of [...asked].sort(([a], [b]) => compareCodePoints(a, b))) {
    if (found.length >= maxFaults) break
    for (const fault of checkQuestion(question))
      found.push({ ...fault, loc: [...loc, id, ...fault.loc] })
  }
  return found
}

/** Checks the questions of a request just before sending. Fails with a validation error. */
export const checkRequest = ({
  questions: asked,
}: Pick<AskRequest, 'questions'>): E.Either<Failure, void> => {
  const [first] = findRequestFaults(asked)
  return first === undefined
    ? E.right(undefined)
    : E.left(validation(formatLoc(first.loc), first.message))
}

/** Encodes a request with a model: known questions are re-encoded, and everything else is unchanged. */
export const encodeRequest = (
  { state, questions: asked, extra }: AskRequest,
  model: string,
): Draft =>
  new Map<string, Draft>([
    ['model', model],
    ['state', state],
    ['questions', encodeQuestions(asked)],
    ...extra,
  ])
