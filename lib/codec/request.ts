import * as E from 'fp-ts/Either'
import { pipe } from 'fp-ts/function'
import * as t from 'io-ts'
import { type Failure, usage, validation } from '../failure/failure'
import { type Draft, Entries } from '../json/draft'
import { type Json, kindOf, type Member, members } from '../json/json'
import { parseJson } from '../json/parse'
import { checkQuestion } from './check'
import { type Codec, json, record, requiredMessage, string } from './combinators'
import { decode, type Fault, faultAt, faultsOf, type Loc, refuse, within } from './fault'
import { byCodePoint } from './order'
import { Question } from './question'
import { dotted } from './reporter'

/** The body of the ask operation. spec: Request document */
export interface AskRequest {
  readonly state: Json
  /** In document order; ids are unique. */
  readonly questions: ReadonlyArray<readonly [id: string, question: Question]>
  /** As the document has it; may be empty. */
  readonly model?: string
  /** Other top-level members, forwarded unchanged. */
  readonly extra: ReadonlyArray<Member>
}

const questions = record(Question)
const own: ReadonlySet<string> = new Set(['state', 'questions', 'model'])

const validate = (value: Json, context: t.Context): t.Validation<AskRequest> => {
  if (kindOf(value) !== 'object') return refuse(value, context, 'object_type', 'must be an object')
  const list = members(value)
  const at = (key: string): Json | undefined => list.find((one) => one.key === key)?.value
  const place = (key: string) => within(context, key, json, at(key))
  const state = at('state')
  const given = at('questions')
  const name = at('model')
  const asked = given && questions.validate(given, place('questions'))
  const model = name && string.validate(name, place('model'))

  if (state && asked && E.isRight(asked) && (model === undefined || E.isRight(model)))
    return t.success({
      state,
      questions: asked.right,
      ...(model && { model: model.right }),
      extra: list.filter(({ key }) => !own.has(key)),
    })
  const missing = ['state', 'questions']
    .filter((key) => at(key) === undefined)
    .map((key) => faultAt(undefined, place(key), 'missing', requiredMessage))
  // The shape of `questions` comes before `model`, the questions themselves after it.
  const shapeFirst = given !== undefined && kindOf(given) !== 'object'
  const rest = shapeFirst ? [asked, model] : [model, asked]
  return E.left([...missing, ...rest.flatMap(errorsOf)])
}

const errorsOf = (result: t.Validation<unknown> | undefined): t.Errors =>
  result !== undefined && E.isLeft(result) ? result.left : []

const isRequest = (value: unknown): value is AskRequest =>
  typeof value === 'object' &&
  value !== null &&
  'state' in value &&
  json.is(value.state) &&
  'questions' in value &&
  questions.is(value.questions)

/** `model` and `extra` only when there are any. */
const encodeWhole = (request: AskRequest): Draft =>
  new Entries([
    ...(request.model === undefined ? [] : [['model', request.model] as const]),
    ['state', request.state],
    ['questions', questions.encode(request.questions)],
    ...request.extra.map(({ name, value }) => [name, value] as const),
  ])

/** Request documents. Tells faults of structure; `checkRequest` tells the rest. */
export const AskRequest: Codec<AskRequest> = new t.Type(
  'a request',
  isRequest,
  validate,
  encodeWhole,
)

/** Reads the input of `svc ask`. Failures are usage errors. spec: `svc ask`, JSON mode 1-5, D12-D14 */
export const decodeRequest = (bytes: Uint8Array): E.Either<Failure, AskRequest> =>
  pipe(
    parseJson(bytes),
    E.mapLeft(({ message }) => usage(`invalid request JSON: ${message}`)),
    E.chain((document) =>
      pipe(
        decode(AskRequest, document),
        E.mapLeft((errors) => usage(faultsOf(errors).map(usageMessage)[0] ?? 'invalid request')),
      ),
    ),
  )

/** A structural fault in the words of spec: `svc ask`, JSON mode 1-5. */
const usageMessage = ({ loc, type, message }: Fault): string => {
  const [field, id, ...rest] = loc
  if (field === undefined) return `invalid request JSON: the document ${message}`
  if (id === undefined)
    return type === 'missing'
      ? `invalid request: "${field}" is required`
      : `invalid request: ${field}: ${message}`
  const question = `invalid request: questions.${id}`
  if (rest.length === 0) return `${question}: ${message}`
  if (type === 'unknown_field') return `${question}: json: ${message}`
  if (rest[0] !== 'type') return `${question}: ${dotted(rest)} ${message}`
  return type === 'empty'
    ? `${question}.type: ${message}`
    : `${question}: must be an object with a "type"`
}

/** What a well-formed request may still have wrong, in the order it is reported. D11, D12, D14 */
export const requestFaults = (
  asked: ReadonlyArray<readonly [id: string, question: Question]>,
): ReadonlyArray<Fault> => {
  const loc: Loc = ['questions']
  if (asked.length === 0)
    return [{ loc, type: 'too_short', message: 'at least one question is required' }]
  const unnamed = asked.some(([id]) => id === '')
  const faulty = asked
    .map(([id, question]) => ({ id, faults: checkQuestion(question) }))
    .filter(({ faults }) => faults.length > 0)
    .sort((a, b) => byCodePoint(a.id, b.id))
  return [
    ...(unnamed
      ? [{ loc, type: 'empty', message: 'question ids must not be empty' } as const]
      : []),
    ...faulty.flatMap(({ id, faults }) =>
      faults.map((fault) => ({ ...fault, loc: [...loc, id, ...fault.loc] })),
    ),
  ]
}

/** The check just before sending; failures are validation errors. spec: Limits, D11, D12, D14 */
export const checkRequest = (request: AskRequest): E.Either<Failure, void> => {
  const [first] = requestFaults(request.questions)
  return first === undefined
    ? E.right(undefined)
    : E.left(validation(dotted(first.loc), first.message))
}

/** The body as it is sent: `model` always, known questions re-encoded, the rest as it came. D47, D7 */
export const encodeRequest = (request: AskRequest, model: string): Draft =>
  AskRequest.encode({ ...request, model })
